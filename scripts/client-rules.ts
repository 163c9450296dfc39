/**
 * The rules for the published client, as a pure function from its files to problems: it must import nothing but itself,
 * so that it runs on any runtime with the web's own interfaces. `check-sources.ts` runs it on the repository.
 */
import type { Problem, Source } from './source-file.ts';

const FOLDER = 'packages/client/src/';
/** The file that exports everything that the package exports; `package.json` has the address of its build. */
const ENTRY = `${FOLDER}kalends.ts`;
/** Globals that only Node has. */
const NODE_GLOBALS = ['process', 'Buffer', 'require', '__dirname', '__filename', 'setImmediate'];

/** Returns every broken rule of the client, among all files. */
export function clientProblemsOf(files: readonly Source[]): Problem[] {
  const client = files.filter(({ path }) => path.startsWith(FOLDER));
  const entry = client.some(({ path }) => path === ENTRY) ? [] : [`${ENTRY}: is missing, the client’s entry`];
  return [...entry, ...client.flatMap(problemsOfFile)];
}

function problemsOfFile({ path, imports, names }: Source): Problem[] {
  const imported = imports.flatMap(({ specifier, target }) => {
    if (target?.startsWith(FOLDER)) return target === ENTRY ? ['imports the entry'] : [];
    return [`imports ${specifier}; the client has no dependencies, and nothing of Node`];
  });
  const globals = NODE_GLOBALS.filter((name) => names.has(name)).map(
    (name) => `uses ${name}, which Node alone has`,
  );
  return [...imported, ...globals].map((problem) => `${path}: ${problem}`);
}
