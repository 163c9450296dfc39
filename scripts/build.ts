/**
 * `npm pack` and `npm publish` run this, because Node strips no types under node_modules. The package contains
 * JavaScript with declarations, the other files of the source folders (migrations, locales, styles), and a list of the
 * packages that it depends on (SBOM, CycloneDX). The folders are those of the sources: `dist/src`, `dist/sandbox`, and
 * in `dist/packages` the client, which the sandbox's application uses.
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

/** Returns all files except TypeScript and those that start the program only in the repository. */
function assetsIn(folder: string): string[] {
  return globSync(`${folder}/**/*`, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.ts') && !/^start(-.*)?\.js$/.test(entry.name))
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)));
}
