/**
 * `npm pack` and `npm publish` run this, because Node strips no types under node_modules. The package contains our
 * modules as a bundle, the declarations of the sandbox, the other files of the source folders (migrations, locales,
 * styles), and a list of the packages that it depends on (SBOM, CycloneDX). Entries and other files have the paths of
 * the sources: `dist/src`, `dist/sandbox`. Packages are not bundled, so `npm audit` and the SBOM cover them.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Plugin } from 'esbuild';
import { packageList } from './package-list.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const TARGET = path.join(ROOT, 'dist');
/** All are started or imported by their paths. */
const ENTRIES = [
  'src/main.ts',
  'src/work-thread.ts',
  'src/branding/draw-logo.ts',
  'sandbox/start-sandbox.ts',
];

rmSync(TARGET, { recursive: true, force: true });

const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
// Types are checked by `npm run check`, which is most of what a compiler does.
const compiled = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--noCheck'], {
  cwd: ROOT,
  stdio: 'inherit',
});
if (compiled.status !== 0) process.exit(compiled.status ?? 1);

/**
 * Modules read files beside them, but run in a chunk. Replaces the path of the running file by that of the module under
 * `dist`. `findPackageJSON` keeps the former, because it throws if the file does not exist.
 */
const modulePaths: Plugin = {
  name: 'module-paths',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
      const source = path.relative(ROOT, file).replace(/\.ts$/, '.js').replaceAll(path.sep, '/');
      // Chunks are in `dist/chunks`, and entries with such modules in `dist/src` and `dist/sandbox`: one folder down.
      const code = {
        url: `new URL('../${source}', import.meta.url).href`,
        dirname: `(import.meta.dirname + '/../${path.posix.dirname(source)}')`,
        filename: `(import.meta.dirname + '/../${source}')`,
      };
      const contents = readFileSync(file, 'utf8').replace(
        /(?<!findPackageJSON\([^)]*)import\.meta\.(url|dirname|filename)\b/g,
        (_, name: keyof typeof code) => code[name],
      );
      return { contents, loader: 'ts' };
    });
  },
};

await build({
  absWorkingDir: ROOT,
  entryPoints: ENTRIES,
  outdir: TARGET,
  outbase: ROOT,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'esnext',
  packages: 'external',
  charset: 'utf8',
  sourcemap: 'linked',
  sourcesContent: false,
  plugins: [modulePaths],
});

for (const folder of ['src', 'sandbox']) {
  for (const asset of assetsIn(folder)) {
    mkdirSync(path.dirname(path.join(TARGET, asset)), { recursive: true });
    cpSync(path.join(ROOT, asset), path.join(TARGET, asset));
  }
}
chmodSync(path.join(TARGET, 'src/main.js'), 0o755);

writeFileSync(path.join(TARGET, 'sbom.cdx.json'), `${JSON.stringify(packageList(ROOT), null, 2)}\n`);

/** Returns all files except modules of the program. Scripts of pages are files, too. */
function assetsIn(folder: string): string[] {
  return globSync(`${folder}/**/*`, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.ts$|(?<!\.client)\.js$/.test(entry.name))
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)));
}
