/**
 * `npm pack` and `npm publish` run this: Node strips no types under node_modules, so what is published
 * is JavaScript with its declarations, and beside it whatever else the source folders hold (migrations,
 * locales, styles), and a list of the packages it runs on (SBOM, CycloneDX). It lies as the sources do:
 * `dist/src`, `dist/sandbox`, and of `dist/packages` the client, which the sandbox's application uses.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageList } from './package-list.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const TARGET = path.join(ROOT, 'dist');

rmSync(TARGET, { recursive: true, force: true });

const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
// Types are checked by `npm run check`, which is most of what a compiler does.
const compiled = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--noCheck'], {
  cwd: ROOT,
  stdio: 'inherit',
});
if (compiled.status !== 0) process.exit(compiled.status ?? 1);

for (const folder of ['src', 'sandbox']) {
  for (const asset of assetsIn(folder)) {
    mkdirSync(path.dirname(path.join(TARGET, asset)), { recursive: true });
    cpSync(path.join(ROOT, asset), path.join(TARGET, asset));
  }
}
chmodSync(path.join(TARGET, 'src/main.js'), 0o755);

writeFileSync(path.join(TARGET, 'sbom.cdx.json'), `${JSON.stringify(packageList(ROOT), null, 2)}\n`);

/** All but TypeScript, and what starts the program in the repository alone. */
function assetsIn(folder: string): string[] {
  return globSync(`${folder}/**/*`, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.ts') && !/^start(-.*)?\.js$/.test(entry.name))
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)));
}
