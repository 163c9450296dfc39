/**
 * Makes `dist` of `src` (npm runs it before it packs, and where an application installs this folder of a checkout).
 * The compiler is the checkout's.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
rmSync(new URL('dist', import.meta.url), { recursive: true, force: true });

const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const { status, stderr } = spawnSync(process.execPath, [compiler, '-p', folder], {
  stdio: ['ignore', 'inherit', 'pipe'],
  encoding: 'utf8',
});
if (status !== 0) {
  const isMissing = stderr.includes('MODULE_NOT_FOUND');
  console.error(
    isMissing ? '@kalends/client is built by TypeScript: run "npm ci" in the checkout first.' : stderr,
  );
  process.exitCode = 1;
}
