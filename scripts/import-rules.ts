/** The rules for imports, and for access to time and the environment: from sources to problems. */
import type { Import, Problem, Source } from './source-file.ts';

/** The folders and files of `src` in order: each imports only from earlier ones. */
const ORDER: readonly string[] = [
  'lib',
  'metrics',
  'tracing',
  'config',
  'http',
  'audit',
  'activity',
  'people',
  'branding',
  'oauth',
  'verification',
  'calendars',
  'design',
  'jobs',
  'request-log',
  'user-data',
  'access',
  'watches',
  'reading',
  'sync',
  'writing',
  'free-busy',
  'connect/messages',
  'connect/flow',
  'connect/accounts',
  'connect/pages',
  'connect',
  'webhooks',
  'system',
  'dashboard/messages',
  'administration',
  'api-reference',
  'documentation',
  'playground',
  // The command line and the dashboard share `administration` and never import each other.
  'cli',
  'dashboard/pages',
  'dashboard',
  'app.ts',
  'work-thread.ts',
  'start',
  'main.ts',
];
const ADAPTERS: readonly string[] = ['providers', 'store'];
/** The only files that import adapters. */
const ENTRANCES = [
  'src/main.ts',
  'src/start/serve.ts',
  'src/start/open-storage.ts',
  'src/start/open-providers.ts',
  'src/start/instance-watching.ts',
  'src/start/requested-scope.ts',
  'src/work-thread.ts',
];
/** The sandbox, which `kalends sandbox` starts: only main.ts imports it from `src`. */
const SANDBOX = { from: 'src/main.ts', to: 'sandbox/run-sandbox.ts' };
/** The file that tells libraries how far the system's clock, which they read, is from Kalends' clock. */
const SYSTEM_CLOCK = 'src/lib/clock-skew.ts';
const CLOCKS = ['Date.now', 'new Date()', 'Temporal.Now'];
const ENVIRONMENT = ['src/config/config.ts', 'src/main.ts'];

/** A driver may have several files, all named after their database. */
const DRIVERS: Readonly<Record<string, string>> = {
  'node:sqlite': 'src/store/drivers/sqlite-',
  pg: 'src/store/drivers/postgres-',
};
/** The files that may use HTTP; all others work without a server. */
const HTTP =
  /\.(route|page)\.ts$|^src\/(http\/|connect\/[^/]+$|dashboard\/[^/]+$|app\.ts$|start\/serve\.ts$)/;

/** An import of it reads all its properties, which loads Node's `fetch`. A server does not need that. */
const NODE_HTTP = 'node:http';

/** Kalends' recurrence, for which the sandbox has an independent model that must share no code with it. */
const WITNESSED = /^src\/lib\/recurrence\/(expand.*|rule.*|series|shift-series|master-clock|place-of)\.ts$/;

/**
 * Returns every broken rule of `src`, and the cycles of folders in `src`, `sandbox` and `packages`. Biome finds cycles of
 * files. Tests are left out.
 */
export function importProblemsOf(files: readonly Source[]): Problem[] {
  const program = files.filter(
    ({ path }) => /^(src|sandbox|packages)\//.test(path) && !path.endsWith('.test.ts'),
  );
  const sources = program.filter(({ path }) => path.startsWith('src/'));
  const byPath = new Map(files.map((file) => [file.path, file]));
  return [
    ...sources.flatMap((file) => file.imports.flatMap((one) => ruleOf(file.path, one, byPath))),
    ...sources.flatMap(entranceOf),
    ...program.filter(({ path }) => path.startsWith('sandbox/')).flatMap(witnessRule),
    ...findCycles(groupByFolder(program)),
  ];
}

function ruleOf(path: string, one: Import, files: ReadonlyMap<string, Source>): Problem[] {
  const { specifier, target, kind } = one;
  const problem = (text: string) => [`${path}: ${text}`];
  if (specifier === NODE_HTTP && kind !== 'type')
    return problem(`imports ${NODE_HTTP}; use process.getBuiltinModule('${NODE_HTTP}')`);
  if (target === undefined) return packageRule(path, specifier).flatMap(problem);
  if (path === SANDBOX.from && target === SANDBOX.to) return [];
  if (target.endsWith('.test.ts') || !target.startsWith('src/'))
    return problem(`imports ${target} from outside src/`);
  const from = findPart(path);
  const to = findPart(target);
  if (from === to) return [];
  if (ADAPTERS.includes(to)) {
    return ENTRANCES.includes(path)
      ? []
      : problem(`imports the adapter ${target}; only ${ENTRANCES.join(', ')} may`);
  }
  if (ADAPTERS.includes(from)) {
    return kind === 'type' || to === 'lib' || isVocabulary(target, files)
      ? []
      : problem(
          `is an adapter: of ${target} it may import types only (import type), besides errors and words`,
        );
  }
  if (to === 'cli' && from.startsWith('dashboard'))
    return problem(`may not import ${target}: both faces of administration stand alone`);
  if (!ORDER.includes(from)) return problem(`is in ${from}, which scripts/import-rules.ts does not know`);
  return ORDER.indexOf(from) > ORDER.indexOf(to)
    ? []
    : problem(`may not import ${target}, which comes later`);
}

function witnessRule({ path, imports }: Source): Problem[] {
  return imports.flatMap(({ target = '', kind }) =>
    kind !== 'type' && WITNESSED.test(target)
      ? [`${path}: imports ${target}; of Kalends' own recurrence the sandbox may import types only`]
      : [],
  );
}

function packageRule(path: string, specifier: string): string[] {
  const driver = DRIVERS[specifier];
  if (driver !== undefined && !path.startsWith(driver))
    return [`imports ${specifier}; only ${driver}*.ts may`];
  const isFastify = /^@?fastify(\/|$)/.test(specifier);
  return isFastify && !HTTP.test(path)
    ? ['imports Fastify; only *.route.ts, *.page.ts, http/, connect/ itself and app.ts may']
    : [];
}

/**
 * Returns whether a file has only error classes or labels (`provider-facts.ts`): it imports only files of that kind.
 */
function isVocabulary(target: string, files: ReadonlyMap<string, Source>): boolean {
  if (target.endsWith('-error.ts') || target.endsWith('/refusal.ts')) return true;
  const imports = files.get(target)?.imports;
  const isPlain = ({ kind, specifier, target = '' }: Import) =>
    kind === 'type' ||
    specifier.startsWith('node:') ||
    findPart(target) === 'lib' ||
    isVocabulary(target, files);
  return imports?.every(isPlain) ?? false;
}

function entranceOf({ path, members }: Source): Problem[] {
  const problems: Problem[] = [];
  const mayReadClock = ENTRANCES.includes(path) || path === SYSTEM_CLOCK;
  if (!mayReadClock && CLOCKS.some((clock) => members.has(clock))) {
    problems.push(`${path}: reads the clock; time enters through deps (only ${ENTRANCES.join(', ')} may)`);
  }
  if (!ENVIRONMENT.includes(path) && members.has('process.env')) {
    problems.push(`${path}: reads process.env; only config.ts does, and main.ts hands it over`);
  }
  return problems;
}

type Graph = readonly (readonly [from: string, to: readonly string[]])[];

const listTargets = ({ imports }: Source): string[] =>
  imports.flatMap(({ target }) => (target === undefined ? [] : [target]));

/** Returns the folders that each folder imports. A folder inside another one is a folder of its own. */
function groupByFolder(files: readonly Source[]): Graph {
  const folders = Map.groupBy(files, ({ path }) => folderOf(path));
  return [...folders].map(([folder, sources]) => {
    const targets = new Set(sources.flatMap(listTargets).map(folderOf));
    targets.delete(folder);
    return [folder, [...targets]];
  });
}

/** Returns a line for each cycle. Imports of types count like all others. */
function findCycles(graph: Graph): Problem[] {
  const edges = new Map(graph);
  const visited = new Set<string>();
  const problems: Problem[] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    const first = trail.indexOf(node);
    if (first >= 0)
      problems.push(`${node}: is in a cycle of folders: ${[...trail.slice(first), node].join(' → ')}`);
    if (first >= 0 || visited.has(node)) return;
    for (const target of edges.get(node) ?? []) visit(target, [...trail, node]);
    visited.add(node);
  };
  for (const node of edges.keys()) visit(node, []);
  return problems;
}

/** Returns the folder of a file. A file directly in `src` stands for itself: `app.ts` and `main.ts` are different layers. */
const folderOf = (path: string): string =>
  /^src\/[^/]+$/.test(path) ? path : path.slice(0, path.lastIndexOf('/'));

/** Returns the part of `src` that a file belongs to: the longest folder of the order that contains it. */
function findPart(path: string): string {
  const inside = path.slice('src/'.length);
  const part = /^(?:connect|dashboard)\//.test(inside)
    ? inside.split('/').slice(0, -1)
    : inside.split('/').slice(0, 1);
  return part.join('/');
}
