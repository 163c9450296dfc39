/**
 * The rules of who may import whom, and of where time and the environment enter, as a pure function
 * from files to problems. `check-imports.ts` runs it on the repository.
 */

/** A source file: its path from the repository's root, with forward slashes, and its text. */
export type SourceFile = { readonly path: string; readonly text: string };

/** A problem names its file first, so that an editor can open it. */
export type Problem = string;

type Import = {
  /** As written. */
  readonly specifier: string;
  /** From the root, for a relative one. */
  readonly target: string | undefined;
  readonly typeOnly: boolean;
};

/** Each layer is imported by later ones only; folders of one layer may import each other. */
const LAYERS: readonly (readonly string[])[] = [
  ['lib', 'http'],
  ['branding', 'calendars', 'oauth'],
  ['sync', 'connect', 'writing', 'free-busy', 'webhooks', 'dashboard'],
  ['api-reference'],
  ['app.ts', 'cli'],
  ['serve.ts', 'open-storage.ts', 'main.ts'],
];
const ADAPTERS = ['providers', 'store'];
/** Tells libraries that read the system's clock how far ours is from it. */
const SYSTEM_CLOCK = 'src/lib/clock-skew.ts';
const ENTRANCES = ['src/main.ts', 'src/serve.ts', 'src/open-storage.ts'];

/** A driver may be of several files, all named after their database. */
const DRIVERS: Readonly<Record<string, string>> = {
  'node:sqlite': 'src/store/sqlite-',
  pg: 'src/store/postgres-',
};
const VAGUE_NAMES = new Set([
  'index',
  'utils',
  'util',
  'helpers',
  'helper',
  'common',
  'services',
  'service',
  'types',
]);

const MOST_LINES = 400;
const MOST_FUNCTION_LINES = 80;

/** Every broken rule, in the order of the files. */
export function problemsOf(files: readonly SourceFile[]): Problem[] {
  const sources = files.filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'));
  return [
    ...files.flatMap(namesOf),
    ...files.flatMap(lengthOf),
    ...sources.flatMap((file) => importsOf(file).flatMap((found) => ruleOf(file, found, sources))),
    ...sources.flatMap(entranceOf),
    ...cyclesOf(sources),
  ];
}

/** The imports of a file, `import()` and re-exports among them. */
export function importsOf({ path, text }: SourceFile): Import[] {
  const statement =
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^'"`;]*?from\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;
  return [...withoutComments(text).matchAll(statement)].map(([, type, from, bare, dynamic]) => {
    const specifier = from ?? bare ?? dynamic ?? '';
    return { specifier, target: resolved(path, specifier), typeOnly: type !== undefined };
  });
}

function ruleOf(file: SourceFile, found: Import, files: readonly SourceFile[]): Problem[] {
  const { path } = file;
  const { specifier, target, typeOnly } = found;
  const says = (problem: string) => [`${path}: ${problem}`];
  if (target === undefined) return packageRule(path, specifier).flatMap(says);
  if (target.endsWith('.test.ts') || !target.startsWith('src/'))
    return says(`imports ${target} from outside src/`);
  const from = partOf(path);
  const to = partOf(target);
  if (from === to) return [];
  if (ADAPTERS.includes(to)) {
    return ENTRANCES.includes(path)
      ? []
      : says(`imports the adapter ${target}; only ${ENTRANCES.join(', ')} may`);
  }
  if (to === 'config.ts') return [];
  if (ADAPTERS.includes(from)) {
    return typeOnly || to === 'lib' || isVocabulary(target, files)
      ? []
      : says(`is an adapter: of ${target} it may import types only (import type), besides errors and words`);
  }
  if (from === 'config.ts') return to === 'lib' ? [] : says(`may import lib/ only, not ${target}`);
  return layerOf(from) >= layerOf(to) ? [] : says(`is in a layer below ${target}`);
}

function packageRule(path: string, specifier: string): string[] {
  const driver = DRIVERS[specifier];
  if (driver !== undefined && !path.startsWith(driver))
    return [`imports ${specifier}; only ${driver}*.ts may`];
  const isFastify = /^@?fastify(\/|$)/.test(specifier);
  const mayUseFastify =
    /\.(route|page)\.ts$/.test(path) ||
    path.startsWith('src/http/') ||
    ['src/app.ts', 'src/serve.ts'].includes(path);
  return isFastify && !mayUseFastify
    ? ['imports Fastify; only *.route.ts, *.page.ts, http/ and app.ts may']
    : [];
}

/** A file of error classes or of words (`provider-kind.ts`): it imports nothing but its like. */
function isVocabulary(target: string, files: readonly SourceFile[]): boolean {
  if (target.endsWith('-error.ts') || target.endsWith('/refusal.ts')) return true;
  const file = files.find(({ path }) => path === target);
  return (
    file !== undefined &&
    importsOf(file).every(({ typeOnly, specifier }) => typeOnly || /^node:/.test(specifier))
  );
}

/** Where time and the environment enter. */
function entranceOf({ path, text }: SourceFile): Problem[] {
  const code = withoutComments(text);
  const problems: Problem[] = [];
  const mayReadClock = ENTRANCES.includes(path) || path === SYSTEM_CLOCK;
  if (!mayReadClock && /\bDate\.now\b|\bnew Date\(\s*\)|\bTemporal\.Now\b/.test(code)) {
    problems.push(`${path}: reads the clock; time enters through deps (only ${ENTRANCES.join(', ')} may)`);
  }
  if (!['src/config/config.ts', 'src/main.ts'].includes(path) && /\bprocess\.env\b/.test(code)) {
    problems.push(`${path}: reads process.env; only config.ts does, and main.ts hands it over`);
  }
  return problems;
}

function namesOf({ path }: SourceFile): Problem[] {
  const parts = path.replace(/(\.test)?\.ts$/, '').split('/');
  const vague = parts.slice(1).find((part) => VAGUE_NAMES.has(part));
  return vague === undefined ? [] : [`${path}: "${vague}" does not tell what is in it`];
}

function lengthOf({ path, text }: SourceFile): Problem[] {
  if (/(^|\/)(migrations|locales|generated)\//.test(path)) return [];
  const lines = text.trimEnd().split('\n');
  const problems =
    lines.length > MOST_LINES ? [`${path}: has ${lines.length} lines, more than ${MOST_LINES}`] : [];
  return path.endsWith('.test.ts') || path.startsWith('test/')
    ? problems
    : [...problems, ...longFunctions(path, lines)];
}

/** Formatted code closes a function on a line of the indentation it began with. */
function longFunctions(path: string, lines: readonly string[]): Problem[] {
  const begins =
    /^(\s*)(?:export )?(?:default )?(?:async )?(?:function\b|(?:static |async |#|get |set )*[\w#]+(?:<.*>)?\(.*\).*\{$|const \w+ = (?:async )?\(?.*=> \{$)/;
  return lines.flatMap((line, start) => {
    const indent = begins.exec(line)?.[1];
    if (indent === undefined || /^\s*(if|for|while|switch|catch|return|else)\b/.test(line)) return [];
    const length = lines.slice(start).findIndex((later, i) => i > 0 && later.startsWith(`${indent}}`)) + 1;
    const isLong = length > MOST_FUNCTION_LINES;
    return isLong
      ? [`${path}:${start + 1}: a function of ${length} lines, more than ${MOST_FUNCTION_LINES}`]
      : [];
  });
}

/** Type imports are gone at run time, so only the others can close a circle. */
function cyclesOf(files: readonly SourceFile[]): Problem[] {
  const edges = new Map(
    files.map((file) => [
      file.path,
      importsOf(file).flatMap(({ target, typeOnly }) => (target === undefined || typeOnly ? [] : [target])),
    ]),
  );
  const done = new Set<string>();
  const problems: Problem[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const seen = trail.indexOf(path);
    if (seen >= 0)
      problems.push(`${path}: is in a circle of imports: ${[...trail.slice(seen), path].join(' → ')}`);
    if (seen >= 0 || done.has(path)) return;
    for (const target of edges.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return problems;
}

const partOf = (path: string): string => path.split('/')[1] ?? '';

function layerOf(part: string): number {
  const layer = LAYERS.findIndex((names) => names.includes(part));
  return layer < 0 ? LAYERS.length : layer;
}

function resolved(path: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return new URL(specifier, `file:///${path}`).pathname.slice(1);
}

/** Comments and the text of template literals could look like imports. */
const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"])\/\/.*$/gm, '$1');
