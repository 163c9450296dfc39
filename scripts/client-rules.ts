/**
 * What the published client may be made of, as a pure function from its files to problems: nothing but itself, so that
 * it runs on any runtime that has the web's own interfaces. `check-imports.ts` runs it on the repository.
 */
import { importsOf, type Problem, type SourceFile } from './import-rules.ts';

const FOLDER = 'packages/client/src/';
/** What the package exports is exported from here; `package.json` names what it is built into. */
const ENTRY = `${FOLDER}kalends.ts`;
/** Globals of Node alone. */
const NODE_GLOBALS = /(?<![\w.$'"`])(process|Buffer|require|__dirname|__filename|setImmediate)\b(?!\s*:)/;

/** Every broken rule of the client, among all files. */
export function clientProblemsOf(files: readonly SourceFile[]): Problem[] {
  const own = files.filter(({ path }) => path.startsWith(FOLDER));
  const entry = own.some(({ path }) => path === ENTRY) ? [] : [`${ENTRY}: is missing, the client’s entry`];
  return [...entry, ...own.flatMap(problemsOfFile)];
}

function problemsOfFile(file: SourceFile): Problem[] {
  const imports = importsOf(file).flatMap(({ specifier, target }) => {
    if (target?.startsWith(FOLDER)) return target === ENTRY ? ['imports the entry'] : [];
    return [`imports ${specifier}; the client has no dependencies, and nothing of Node`];
  });
  const [, name] = NODE_GLOBALS.exec(withoutComments(file.text)) ?? [];
  const globals = name === undefined ? [] : [`uses ${name}, which Node alone has`];
  return [...imports, ...globals].map((problem) => `${file.path}: ${problem}`);
}

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"])\/\/.*$/gm, '$1');
