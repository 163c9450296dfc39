/** Tests the published packages: packed, installed together elsewhere by npm, and started as npm starts them. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { CALDAV_PASSWORD } from '../../sandbox/people/people.ts';
import type { Sandbox } from '../../sandbox/start-sandbox.ts';
import { nodeVersionProblem } from '../../src/cli/node-version.js';
import { LANGUAGES } from '../../src/connect/messages/messages.ts';
import { decoded, openBrowser } from '../e2e/browser.ts';
import { authorizeUrl, connect, jsonOf, read } from '../e2e/flow.ts';
import { counterpart } from '../harness/counterpart.ts';
import { freePort } from '../harness/loopback.ts';

const run = promisify(execFile);
type Named = { readonly name: string; readonly version: string };
type Listed = { readonly component: Named };

const ROOT = path.resolve(import.meta.dirname, '../..');
/** The machine's own, of whatever version. */
const SYSTEM_NODE = '/usr/bin/node';
const START_MS = 60_000;

/** Packs the package in a folder; the archive's path. */
async function pack(folder: string, into: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', into], { cwd: folder });
  // npm's output about the one package that it packed. The build's own lines may come before it.
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as { filename: string }[];
  assert.ok(packed);
  return path.join(into, packed.filename);
}

describe('the published package', () => {
  let folder: string;
  let installed: string;
  let port: number;
  const environment = () => ({
    // The program names `node` in its first line: the one that runs the tests.
    PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`,
    KALENDS_DATA_DIR: path.join(folder, 'data'),
    KALENDS_PORT: String(port),
  });
  const program = () => path.join(folder, 'node_modules/.bin/kalends');
  const kalends = (...args: string[]) => run(program(), args, { cwd: folder, env: environment() });

  before(async () => {
    port = await freePort();
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-package-'));
    const packages = [await pack(ROOT, folder), await pack(path.join(ROOT, 'packages/client'), folder)];
    await writeFile(path.join(folder, 'package.json'), '{"name":"app","private":true,"type":"module"}');
    // In a whole run everything is downloaded, as by somebody new; otherwise what npm has seen before will do.
    const downloads = process.env.KALENDS_TEST_ALL === '1';
    const cache = downloads ? ['--cache', path.join(folder, 'cache')] : ['--prefer-offline'];
    await run('npm', ['install', ...cache, '--fetch-retries=8', '--no-audit', '--no-fund', ...packages], {
      cwd: folder,
      env: { ...process.env, ...environment(), npm_config_loglevel: 'error' },
    });
    installed = path.join(folder, 'node_modules/kalends');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('the published package has no TypeScript source and no test in it', async () => {
    const files = await readdir(path.join(installed, 'dist'), { recursive: true });

    assert.ok(files.includes('src/main.js') && files.includes('sandbox/start-sandbox.d.ts'));
    assert.deepEqual(
      files.filter((file) => /(?<!\.d)\.ts$|\.test\./.test(file)),
      [],
    );
  });

  it('the published package has the examples, without installed, built or stored files', async () => {
    const files = await readdir(path.join(installed, 'examples'), { recursive: true });

    assert.ok(files.includes('next/app/page.tsx') && files.includes('php/index.php'));
    assert.deepEqual(
      files.filter((file) => /node_modules|\.next|next-env|package-lock|storage\.db/.test(file)),
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

  it('the published package prints its version', async () => {
    const { version } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));

    assert.equal((await kalends('--version')).stdout, `${version}\n`);
  });

  it('the published package makes its database and registers an application', async () => {
    const args = ['--name', 'A', '--redirect-uri', 'https://a.example/', '--json'];

    const { stdout } = await kalends('client', 'create', ...args);

    assert.match(JSON.parse(stdout).client_id, /^proj/);
  });

  it('the published package serves its pages with their texts and styles, and ends with 0 when it is stopped', async () => {
    const server = spawn(program(), ['serve', '--json'], { env: environment() });
    const ended = once(server, 'close');

    try {
      const [line] = await Promise.race([once(server.stdout, 'data'), ended]);
      const { url } = JSON.parse(String(line));
      const health = await fetch(`${url}/health`);
      const page = await fetch(`${url}/authorize?client_id=nobody&lng=fr`, {
        headers: { accept: 'text/html' },
      });

      const { version } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'));
      const reference = (await (await fetch(`${url}/openapi.json`)).json()) as { info: { version: string } };
      assert.equal(reference.info.version, version);
      for (const answer of [await fetch(`${url}/docs`), health.clone()]) {
        const told = JSON.stringify([...answer.headers]) + (await answer.text());
        assert.ok(!told.includes(version), `only the OpenAPI document has the version: ${answer.url}`);
      }
      assert.deepEqual(await health.json(), { status: 'ok' });
      assert.equal(page.status, 401);
      assert.match(await page.text(), /<html lang="fr"/);
    } finally {
      server.kill('SIGTERM');
    }
    assert.deepEqual(await ended, [0, null]);
  });

  it('the published package has the sandbox, which starts, responds and ends with Ctrl-C', async () => {
    const sandbox = spawn(program(), ['sandbox'], { env: environment() });
    let output = '';
    for (const stream of [sandbox.stdout, sandbox.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const ended = once(sandbox, 'close');

    try {
      const deadline = performance.now() + START_MS;
      while (!/redirect_uri .*\n/.test(output) && sandbox.exitCode === null && performance.now() < deadline)
        await Promise.race([once(sandbox.stdout, 'data'), ended]);
      const [, url] = /Kalends +(http\S+)/.exec(output) ?? [];
      const [, demo] = /Begin here +(http\S+)/.exec(output) ?? [];
      for (const address of [`${url}/health`, demo ?? ''])
        assert.equal((await fetch(address)).status, 200, `${address}: ${output}`);
    } finally {
      sandbox.kill('SIGINT');
    }
    assert.deepEqual(await ended, [0, null], output);
  });

  it('the published package has the sandbox for tests, with work threads, logos, and every page in every language', async () => {
    const module = path.join(installed, 'dist/sandbox/start-sandbox.js');
    const { startSandbox }: typeof import('../../sandbox/start-sandbox.ts') = await import(module);
    const sandbox = await startSandbox();
    try {
      await placesEvents(sandbox);
      await drawsLogo(sandbox);
      await servesEveryPage(sandbox);
    } finally {
      await sandbox.close();
    }
  });

  /** Connects an account and places the dates of a rule, which runs in a work thread. */
  async function placesEvents({ application, kalends, providers }: Sandbox) {
    const login = { server: providers.caldav.origin, username: 'mara', password: CALDAV_PASSWORD };
    const site = { ...application, url: kalends.url };
    const { accessToken } = await connect(site, {
      userId: 'mara',
      login,
      parameters: { scope: 'read-write' },
    });
    const times = { start: '2026-12-07T09:00:00Z', end: '2026-12-07T10:00:00Z' };
    const recurrence = { frequency: 'monthly', byMonthDay: [7], count: 3 };
    const event = { provider: 'caldav', calendarId: 'primary', title: 'Rule', ...times, recurrence };

    const created = await fetch(`${kalends.url}/event`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(event),
    });
    const month = '/events?start=2027-01-01T00:00:00Z&end=2027-01-31T00:00:00Z';
    const { events } = await jsonOf(await read(site, month, accessToken));

    assert.equal(created.status, 200, `${await created.text()} ${kalends.log()}`);
    assert.match(JSON.stringify(events), /2027-01-07T09:00/);
    assert.doesNotMatch(kalends.log(), /work_thread_failed/);
  }

  async function drawsLogo({ application, dataDir }: Sandbox) {
    const file = path.join(folder, 'logo.svg');
    await writeFile(
      file,
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9z"/></svg>',
    );
    const args = ['client', 'update', application.clientId, '--logo', file, '--json'];

    const { stdout } = await run(program(), args, { env: { ...environment(), KALENDS_DATA_DIR: dataDir } });

    assert.match(stdout, /\/connect\/logos\/[\da-f]{64}\.webp/);
  }

  /** Follows all links, as a first owner. */
  async function servesEveryPage({ application, kalends, demoUrl, controlUrl }: Sandbox) {
    const owner = {
      'Your name': 'Ada',
      'E-mail address': 'ada@example.com',
      Password: 'seven kettles sing at noon',
    };
    const browser = openBrowser();
    await browser.open(kalends.setupUrl ?? '');
    const overview = await browser.press('Set up and sign in', owner);
    const flows = LANGUAGES.map((language) =>
      authorizeUrl({ url: kalends.url, ...application }, { userId: 'new', parameters: { lng: language } }),
    );
    const pages = new Set([overview.url.href, `${kalends.url}/docs`, demoUrl, controlUrl, ...flows]);
    const origins = [...pages].map((page) => new URL(page).origin);
    const paths = new Set(pages);
    const languages = new Set<string>();

    for (const page of pages) {
      const { status, body, url } = await browser.open(page);
      assert.equal(status, 200, `${page}: ${body.slice(0, 300)}`);
      if (flows.includes(page)) languages.add(/<html lang="([\w-]+)"/.exec(body)?.[1] ?? page);
      for (const [, link = ''] of body.matchAll(/<a\b[^>]* href="([^"]+)"/g)) {
        const { href, origin, pathname } = new URL(decoded(link), url);
        if (!origins.includes(origin) || paths.has(origin + pathname)) continue;
        paths.add(origin + pathname);
        pages.add(href);
      }
    }
    assert.deepEqual([...languages], LANGUAGES);
    assert.ok(pages.size > 200, [...pages].join('\n'));
  }

  it('the published package has the sandbox for tests, and the client, as modules', async () => {
    const script = `
      const [{ startSandbox }, { kalends }] = await Promise.all([import('kalends/sandbox'), import('@kalends/client')]);
      console.log(typeof startSandbox, typeof kalends);`;

    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });

    assert.equal(stdout, 'function function\n');
  });

  it('the published package keeps compiled code in a private data folder if others own the package', async (t) => {
    if (process.getuid?.() !== 0) return t.skip('only root can start it as another user');
    await chmod(folder, 0o755);
    const cacheWith = async (mode: number) => {
      const dataDir = await mkdtemp(path.join(tmpdir(), 'kalends-data-'));
      t.after(() => rm(dataDir, { recursive: true, force: true }));
      await chmod(dataDir, mode);
      await chown(dataDir, 1000, 1000);
      const env = { ...environment(), KALENDS_DATA_DIR: dataDir };
      await run(program(), ['--version'], { env, uid: 1000, gid: 1000 });
      return (await readdir(dataDir)).join();
    };

    assert.equal(await cacheWith(0o700), '.compile-cache');
    assert.equal(await cacheWith(0o750), '');
  });

  it(
    'the published package answers an older Node with one sentence',
    counterpart('Node', SYSTEM_NODE),
    async () => {
      const own = (await run(SYSTEM_NODE, ['--version'])).stdout.trim().slice(1);
      const main = path.join(installed, 'dist/src/main.js');

      const { stderr } = await run(SYSTEM_NODE, [main, '--version']).catch((failure) => failure);

      const problem = nodeVersionProblem(own);
      assert.equal(stderr, problem === undefined ? '' : `${problem}\n`);
    },
  );

  it('no text of the published package names npm run or the sources', async () => {
    const texts = await Promise.all([kalends('help'), kalends('help', 'sandbox'), kalends('doctor')]);

    for (const { stdout } of texts) assert.doesNotMatch(stdout, /npm (run|start|ci)|src\//);
  });
});
