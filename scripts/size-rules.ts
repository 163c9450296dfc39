/** How long files and functions may be, how many parameters a function takes, and what files are called. */
import type { Problem, Source } from './source-file.ts';

const MOST_LINES = 300;
const MOST_TEST_LINES = 400;
/** Catalogs, which are looked up in and not read through. */
const LONG_FILES = /(^|\/)(migrations|locales|generated)\//;
const MOST_FUNCTION_LINES = 80;
const MOST_PARAMETERS = 3;
/** As many functions of `src`, `sandbox` and `packages` may take more parameters, where a name for the group would be made up. */
const MOST_WIDE_FUNCTIONS = 10;
const VAGUE_NAMES = ['index', 'utils', 'util', 'helpers', 'helper', 'common', 'services', 'service', 'types'];

/** Every broken rule, in the order of the files. */
export function sizeProblemsOf(files: readonly Source[]): Problem[] {
  return [...files.flatMap(nameOf), ...files.flatMap(lengthOf), ...widthOf(files)];
}

function nameOf({ path }: Source): Problem[] {
  const parts = path.replace(/(\.test)?\.ts$/, '').split('/');
  const vague = parts.slice(1).find((part) => VAGUE_NAMES.includes(part));
  return vague === undefined ? [] : [`${path}: "${vague}" does not tell what is in it`];
}

function lengthOf({ path, text, functions }: Source): Problem[] {
  if (LONG_FILES.test(path)) return [];
  const lines = text.trimEnd().split('\n').length;
  const most = isTest(path) ? MOST_TEST_LINES : MOST_LINES;
  const problems = lines > most ? [`${path}: has ${lines} lines, more than ${most}`] : [];
  if (isTest(path)) return problems;
  const long = functions.filter((one) => one.lines > MOST_FUNCTION_LINES);
  return [
    ...problems,
    ...long.map(
      (one) => `${path}:${one.firstLine}: a function of ${one.lines} lines, more than ${MOST_FUNCTION_LINES}`,
    ),
  ];
}

/** All of them are named when there are too many: the one to mend need not be the newest. */
function widthOf(files: readonly Source[]): Problem[] {
  const wide = wideFunctionsOf(files);
  if (wide.length <= MOST_WIDE_FUNCTIONS) return [];
  const count = `${wide.length} functions take more than ${MOST_PARAMETERS} parameters, more than ${MOST_WIDE_FUNCTIONS} do`;
  return [count, ...wide.map((place) => `  ${place}`)];
}

/** The functions that take more than three parameters, by file and line. */
export function wideFunctionsOf(files: readonly Source[]): string[] {
  return files
    .filter(({ path }) => /^(src|sandbox|packages)\//.test(path) && !isTest(path))
    .flatMap(({ path, functions }) =>
      functions
        .filter(({ parameters }) => parameters > MOST_PARAMETERS)
        .map(({ name, firstLine }) => `${path}:${firstLine} ${name}`),
    );
}

const isTest = (path: string): boolean => path.endsWith('.test.ts') || path.startsWith('test/');
