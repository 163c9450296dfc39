/** Rules for files and folders: their names, how many there are, and the size of interfaces. */
import { LIMITS } from './limits.ts';
import type { Problem, Source } from './source-file.ts';

const VAGUE_NAMES = ['index', 'utils', 'util', 'helpers', 'helper', 'common', 'services', 'service', 'types'];
/** A comment that turns off one of Biome's limits, or all its rules. */
const LIFTED_LIMIT =
  /^\s*\/[/*]+ biome-ignore\S* lint(\/complexity|\/style|\/suspicious)?(:|\/useMaxParams|\/noExcessiveLines\w+|\/noImportCycles)/m;

/** Returns a line for each broken rule. Rules about counts apply to `src` without tests. */
export function findLayoutProblems(files: readonly Source[]): Problem[] {
  const sources = files.filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'));
  const interfaces = listLargeInterfaces(sources);
  const small = listSmallFiles(sources);
  return [
    ...files.flatMap(checkName),
    ...files.flatMap(checkSuppressions),
    ...checkFolders(sources),
    ...checkCount(
      small,
      LIMITS.smallFiles,
      `files with fewer than ${LIMITS.smallFileLines} lines and one importer beside them`,
    ),
    ...checkCount(
      interfaces,
      LIMITS.largeInterfaces,
      `interfaces with more than ${LIMITS.interfaceMethods} methods`,
    ),
  ];
}

function checkName({ path }: Source): Problem[] {
  const parts = path.replace(/(\.test)?\.ts$/, '').split('/');
  const vague = parts.slice(1).find((part) => VAGUE_NAMES.includes(part));
  return vague === undefined ? [] : [`${path}: "${vague}" does not say what it contains`];
}

function checkSuppressions({ path, text }: Source): Problem[] {
  return LIFTED_LIMIT.test(text) ? [`${path}: a comment must not turn off a limit of biome.json`] : [];
}

function checkFolders(sources: readonly Source[]): Problem[] {
  return [...Map.groupBy(sources, folderOf)].flatMap(([folder, { length }]) => {
    const most = LIMITS.largeFolders[folder] ?? LIMITS.folderFiles;
    return length > most ? [`${folder}: has ${length} files, more than ${most}`] : [];
  });
}

function listSmallFiles(sources: readonly Source[]): string[] {
  const importers = Map.groupBy(
    sources.flatMap((source) =>
      [...new Set(source.imports.map(({ target }) => target))].map((target) => ({ target, source })),
    ),
    ({ target }) => target,
  );
  return sources
    .filter((source) => {
      const [importer, ...others] = importers.get(source.path) ?? [];
      const isBeside = importer !== undefined && folderOf(importer.source) === folderOf(source);
      return (
        isBeside && others.length === 0 && source.text.trimEnd().split('\n').length < LIMITS.smallFileLines
      );
    })
    .map(({ path }) => path);
}

const listLargeInterfaces = (sources: readonly Source[]): string[] =>
  sources.flatMap(({ path, interfaces }) =>
    interfaces
      .filter(({ methods }) => methods > LIMITS.interfaceMethods)
      .map(({ name, methods }) => `${path} ${name} (${methods})`),
  );

/** Lists everything counted if there is too much, since the one to change need not be the newest. */
const checkCount = (counted: readonly string[], most: number, subject: string): Problem[] =>
  counted.length > most
    ? [`${counted.length} ${subject}, more than ${most}`, ...counted.map((entry) => `  ${entry}`)]
    : [];

const folderOf = ({ path }: Source): string => path.slice(0, path.lastIndexOf('/'));
