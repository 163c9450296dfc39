/** The checks before the tests: types, lint and format, import rules, conformance, documents, generated documents. */
import { spawn } from 'node:child_process';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');

type Check = { readonly name: string; readonly module: string; readonly words: readonly string[] };

/** Each is a JavaScript or TypeScript file run by the Node that runs this one. */
const CHECKS: readonly Check[] = [
  { name: 'types', module: 'node_modules/typescript/bin/tsc', words: ['--noEmit'] },
  {
    name: 'types of the client',
    module: 'node_modules/typescript/bin/tsc',
    words: ['--noEmit', '-p', 'packages/client'],
  },
  { name: 'lint and format', module: 'node_modules/@biomejs/biome/bin/biome', words: ['check', '.'] },
  { name: 'import rules', module: 'scripts/check-imports.ts', words: [] },
  { name: 'conformance', module: 'scripts/check-conformance.ts', words: [] },
  { name: 'documents', module: 'scripts/check-docs.ts', words: [] },
  { name: 'generated documents', module: 'scripts/generate-docs.ts', words: ['--check'] },
];

/** Runs them side by side, prints a line for each and the whole output of one that fails. */
export async function runChecks(): Promise<boolean> {
  const results = await Promise.all(CHECKS.map(runCheck));
  for (const { name, passed, seconds, output } of results) {
    console.log(`${passed ? '✔' : '✖'} ${name} (${seconds.toFixed(1)} s)`);
    if (!passed) console.log(output.trimEnd());
  }
  return results.every(({ passed }) => passed);
}

async function runCheck({ name, module, words }: Check) {
  const started = performance.now();
  const child = spawn(process.execPath, [path.join(ROOT, module), ...words], { cwd: ROOT });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const passed = await new Promise<boolean>((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve(code === 0));
  });
  return { name, passed, seconds: (performance.now() - started) / 1000, output };
}

if (import.meta.main) process.exitCode = (await runChecks()) ? 0 : 1;
