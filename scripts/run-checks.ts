/**
 * Runs the checks that precede the tests: types, lint and format, imports and layout, conformance, links and citations,
 * generated documents, prose. Options run one script instead: `--closures` lists the files behind three endpoints,
 * `--prose PART` the prose findings of files whose path contains PART, and `--commits` checks the commits.
 */
import './needs-node.js';

import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');

type Check = {
  readonly name: string;
  readonly module: string;
  readonly args: readonly string[];
  /** Whether the check also runs with `--quick`, while a contributor works. */
  readonly quick?: boolean;
};

/** The checks: each is a JavaScript or TypeScript file, run by the same Node. */
const CHECKS: readonly Check[] = [
  { name: 'types', module: 'node_modules/typescript/bin/tsc', args: ['--noEmit'], quick: true },
  {
    name: 'types of the client',
    module: 'node_modules/typescript/bin/tsc',
    args: ['--noEmit', '-p', 'packages/client'],
  },
  {
    name: 'lint and format',
    module: 'node_modules/@biomejs/biome/bin/biome',
    args: ['check', '.'],
    quick: true,
  },
  { name: 'imports and layout', module: 'scripts/check-sources.ts', args: [], quick: true },
  { name: 'conformance', module: 'scripts/check-conformance.ts', args: [] },
  { name: 'documents', module: 'scripts/check-docs.ts', args: [], quick: true },
  { name: 'generated documents', module: 'scripts/generate-docs.ts', args: ['--check'] },
  { name: 'prose', module: 'scripts/check-prose.ts', args: [] },
];

/** The scripts that run alone if their option is given. */
const OPTIONS: Readonly<Record<string, string>> = {
  '--closures': 'check-sources.ts',
  '--commits': 'check-commits.ts',
  '--prose': 'check-prose.ts',
};

/** Runs the checks in parallel, and prints a line for each and the whole output of one that fails. */
export async function runChecks({ quick = false } = {}): Promise<boolean> {
  const checks = CHECKS.filter((check) => !quick || check.quick);
  const results = await Promise.all(checks.map(runCheck));
  for (const { name, passed, seconds, output } of results) {
    console.log(`${passed ? '✔' : '✖'} ${name} (${seconds.toFixed(1)} s)`);
    if (!passed) console.log(output.trimEnd());
  }
  return results.every(({ passed }) => passed);
}

async function runCheck({ name, module, args }: Check) {
  const started = performance.now();
  const child = spawn(process.execPath, [path.join(ROOT, module), ...args], { cwd: ROOT });
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

if (import.meta.main) {
  const args = process.argv.slice(2);
  const script = OPTIONS[args[0] ?? ''];
  if (script === undefined) process.exitCode = (await runChecks()) ? 0 : 1;
  else {
    const module = path.join(import.meta.dirname, script);
    process.exitCode = spawnSync(process.execPath, [module, ...args], { stdio: 'inherit' }).status ?? 1;
  }
}
