/** How files are named, and that no comment lifts a limit. */
import type { Problem, Source } from './source-file.ts';

const VAGUE_NAMES = ['index', 'utils', 'util', 'helpers', 'helper', 'common', 'services', 'service', 'types'];
/** A comment that turns off one of Biome's limits, or all its rules. */
const LIFTED_LIMIT =
  /^\s*\/[/*]+ biome-ignore\S* lint(\/complexity|\/style|\/suspicious)?(:|\/useMaxParams|\/noExcessiveLines\w+|\/noImportCycles)/m;

/** Returns every broken rule, in the order of the files. */
export function findLayoutProblems(files: readonly Source[]): Problem[] {
  return [...files.flatMap(checkName), ...files.flatMap(checkSuppressions)];
}

function checkName({ path }: Source): Problem[] {
  const parts = path.replace(/(\.test)?\.ts$/, '').split('/');
  const vague = parts.slice(1).find((part) => VAGUE_NAMES.includes(part));
  return vague === undefined ? [] : [`${path}: "${vague}" does not say what it contains`];
}

function checkSuppressions({ path, text }: Source): Problem[] {
  return LIFTED_LIMIT.test(text) ? [`${path}: a comment must not turn off a limit of biome.json`] : [];
}
