/**
 * `npm pack` and `npm publish` run this: Node strips no types under node_modules, so what is published
 * is JavaScript with its declarations, and beside it whatever else the source folder holds (migrations,
 * locales, styles), and a list of the packages it runs on (SBOM, CycloneDX).
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageList } from './package-list.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const SOURCE = path.join(ROOT, 'src');
const TARGET = path.join(ROOT, 'dist');

rmSync(TARGET, { recursive: true, force: true });

const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
const compiled = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
  cwd: ROOT,
  stdio: 'inherit',
});
if (compiled.status !== 0) process.exit(compiled.status ?? 1);

const assets = globSync('**/*', { cwd: SOURCE, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.name.endsWith('.ts'))
  .map((entry) => path.relative(SOURCE, path.join(entry.parentPath, entry.name)));
for (const asset of assets) {
  mkdirSync(path.dirname(path.join(TARGET, asset)), { recursive: true });
  cpSync(path.join(SOURCE, asset), path.join(TARGET, asset));
}
chmodSync(path.join(TARGET, 'main.js'), 0o755);

writeFileSync(path.join(TARGET, 'sbom.cdx.json'), `${JSON.stringify(packageList(ROOT), null, 2)}\n`);
