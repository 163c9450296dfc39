/** What is published runs: packed, unpacked under node_modules elsewhere, beside its run-time dependencies only. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../harness/loopback.ts';

const run = promisify(execFile);
type Named = { readonly name: string; readonly version: string };
type Listed = { readonly component: Named };

const ROOT = path.resolve(import.meta.dirname, '../..');

describe('the published package', () => {
  let folder: string;
  let installed: string;
  let port: number;
  const environment = () => ({
    PATH: process.env.PATH,
    KALENDS_DATA_DIR: path.join(folder, 'data'),
    KALENDS_PORT: String(port),
  });
  const kalends = (...args: string[]) =>
    run(process.execPath, [path.join(installed, 'dist/main.js'), ...args], {
      cwd: folder,
      env: environment(),
    });

  before(async () => {
    port = await freePort();
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-package-'));
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: ROOT });
    // What npm says of the one package it packed; the build's own lines may come before it.
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as { filename: string }[];
    assert.ok(packed);
    installed = path.join(folder, 'node_modules/kalends');
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', path.join(folder, packed.filename), '--strip-components=1', '-C', installed]);
    // Instead of a download: the same packages, as npm ci laid them out.
    const { dependencies } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'));
    for (const name of Object.keys(dependencies)) {
      await mkdir(path.dirname(path.join(folder, 'node_modules', name)), { recursive: true });
      await symlink(path.join(ROOT, 'node_modules', name), path.join(folder, 'node_modules', name));
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('the published package has no TypeScript source and no test in it', async () => {
    const files = await readdir(path.join(installed, 'dist'), { recursive: true });

    assert.ok(files.includes('main.js') && files.includes('main.d.ts'));
    assert.deepEqual(
      files.filter((file) => /(?<!\.d)\.ts$|\.test\./.test(file)),
      [],
    );
  });

  it('the published package lists every package it runs on, in CycloneDX, and no place they were fetched from', async () => {
    const text = await readFile(path.join(installed, 'dist/sbom.cdx.json'), 'utf8');
    const { dependencies } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'));

    const list: { bomFormat: string; metadata: Listed; components: Named[] } = JSON.parse(text);
    const named = new Set(list.components.map(({ name }) => name));
    assert.equal(list.bomFormat, 'CycloneDX');
    assert.equal(list.metadata.component.name, 'kalends');
    assert.deepEqual(
      Object.keys(dependencies).filter((name) => !named.has(name)),
      [],
    );
    assert.ok(!named.has('typescript'), 'what is for development only is not in it');
    assert.ok(list.components.every(({ version }) => /^\d/.test(version)));
    assert.doesNotMatch(text, /"(distribution|externalReferences)"/);
  });

  it('the published package tells its version', async () => {
    const { version } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));

    assert.equal((await kalends('--version')).stdout, `${version}\n`);
  });

  it('the published package makes its database and registers an application', async () => {
    const args = ['--name', 'A', '--redirect-uri', 'https://a.example/', '--json'];

    const { stdout } = await kalends('client', 'create', ...args);

    assert.match(JSON.parse(stdout).client_id, /^proj/);
  });

  it('the published package serves its pages with their texts and styles, and ends with 0 when it is told to stop', async () => {
    const port = String(20_000 + (process.pid % 10_000));
    const env = { ...environment(), KALENDS_PORT: port };
    const server = spawn(process.execPath, [path.join(installed, 'dist/main.js'), 'serve', '--json'], {
      env,
    });
    const ended = once(server, 'close');

    try {
      const [line] = await Promise.race([once(server.stdout, 'data'), ended]);
      const { url } = JSON.parse(String(line));
      const health = await fetch(`${url}/health`);
      const page = await fetch(`${url}/authorize?client_id=nobody&lng=fr`, {
        headers: { accept: 'text/html' },
      });

      assert.deepEqual(await health.json(), { status: 'ok' });
      assert.equal(page.status, 401);
      assert.match(await page.text(), /<html lang="fr"/);
    } finally {
      server.kill('SIGTERM');
    }
    assert.deepEqual(await ended, [0, null]);
  });
});
