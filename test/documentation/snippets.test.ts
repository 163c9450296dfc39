/**
 * The code in README.md, audit.md, branding.md, operations.md, privacy.md, providers.md, sandbox.md, sizing.md,
 * webhooks.md and wire.md whose mark names this test (scripts/snippet-rules.ts), all of it on one sandbox.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';

import { type Sandbox, startSandbox } from '../../sandbox/start-sandbox.ts';
import { type Snippet, snippetProblems, snippetsOf } from '../../scripts/snippet-rules.ts';
import { type CommandLine, openCommandLine } from '../cli/cli-run.ts';
import { signingSecret } from '../client/webhook-signing.ts';
import { connect } from '../e2e/flow.ts';
import { close, freePort, listen } from '../harness/loopback.ts';
import { typeSnippet } from './snippet-shell.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const THIS = 'test/documentation/snippets.test.ts';
const REDIRECT_URI = 'http://localhost:9/callback';

const snippets = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT })
  .sort()
  .flatMap((name) => snippetsOf({ path: name, text: readFileSync(path.join(ROOT, name), 'utf8') }))
  .filter(({ mark }) => mark !== undefined && 'runBy' in mark && mark.runBy === THIS);

describe('the code in documents', () => {
  let folder: string;
  let sandbox: Sandbox;
  let commandLine: CommandLine;
  let receiver: Server;
  let receiverUrl: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-snippets-'));
    await mkdir(path.join(folder, 'secrets'));
    for (const name of ['google', 'microsoft'])
      await writeFile(path.join(folder, `secrets/${name}-client-secret`), 'a-secret');
    receiver = createServer((_, response) => response.end());
    receiverUrl = `${await listen(receiver)}/webhooks`;
    sandbox = await startSandbox({ redirectUris: [REDIRECT_URI], webhookUrl: receiverUrl });
    const { kalends, dataDir } = sandbox;
    const settings = { KALENDS_URL: kalends.url, KALENDS_PRIVATE_NETWORK: 'loopback' };
    commandLine = await openCommandLine({ ...settings, KALENDS_DATA_DIR: dataDir });
  });
  after(async () => {
    await sandbox?.close();
    await commandLine?.close();
    await close(receiver);
    await rm(folder, { recursive: true, force: true });
  });

  for (const snippet of snippets)
    it(`the code of ${snippet.document}, line ${snippet.line}, in ${snippet.language} does what it says`, async () => {
      await (RUNNERS[snippet.language] ?? unknownLanguage)(snippet);
    });

  const RUNNERS: Readonly<Record<string, (snippet: Snippet) => Promise<void>>> = {
    async json({ code }) {
      assert.equal(typeof JSON.parse(code), 'object');
    },
    async sql({ code }) {
      const db = new DatabaseSync(path.join(sandbox.dataDir, 'kalends.db'), { readOnly: true });
      assert.ok(db.prepare(code).all().length > 0);
      db.close();
    },
    async sh({ code }) {
      if (/\bada\b|USER_ID/.test(code)) await connectAda();
      const { clientId, clientSecret } = application();
      const env = { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, BASE: sandbox.kalends.url };
      await typeSnippet(filledIn(code), { commandLine, folder, env });
    },
    async ts({ code }) {
      if (code.includes('startSandbox')) await runWithSandbox(code);
      else await receiveWebhook(code);
    },
  };

  const application = () => {
    const [first] = sandbox.ownApplications;
    assert.ok(first);
    return { ...first, url: sandbox.kalends.url };
  };

  const connectAda = () => {
    const { origin: server, passwordOf } = sandbox.providers.caldav;
    const login = { server, username: 'mara', password: passwordOf('mara') };
    return connect(application(), { userId: 'ada', login });
  };

  /** Replaces the page's placeholders with values of this test, as a reader would. */
  function filledIn(code: string): string {
    const { clientId } = application();
    const places: readonly (readonly [RegExp, string])[] = [
      [/(?<![$"{A-Z_])CLIENT_ID\b/g, clientId],
      [/proj…/g, clientId],
      [/….apps/g, 'id.apps'],
      [/\bada\.json\b/g, path.join(folder, 'ada.json')],
      [/\bUSER_ID\b/g, 'ada'],
      [/\bFILE\b/g, path.join(folder, 'secrets/google-client-secret')],
      [/\/run\/secrets/g, path.join(folder, 'secrets')],
      [/\/backups/g, folder],
      [/https:\/\/app\.example\.com\/webhooks/g, receiverUrl],
      [/http:\/\/127\.0\.0\.1:8091/g, new URL(sandbox.controlUrl).origin],
      [/~\/kalends-sandbox/g, path.join(folder, 'kept')],
    ];
    return places.reduce((text, [name, value]) => text.replace(name, value), code);
  }

  /** Runs the code with the running sandbox instead of a new one. */
  async function runWithSandbox(code: string): Promise<void> {
    const holder = { startSandbox: async () => ({ ...sandbox, close: async () => {} }) };
    Object.assign(globalThis, { kalendsSnippet: holder });
    const text = code.replace(
      /^import \{ startSandbox \}.*$/m,
      'const { startSandbox } = globalThis.kalendsSnippet;',
    );
    await import(await moduleOf(text));
    sandbox.faults.clear();
    sandbox.clock.reset();
  }

  /** Runs the receiver of the page with a genuine and a forged delivery. */
  async function receiveWebhook(code: string): Promise<void> {
    const port = await freePort();
    process.env.KALENDS_WEBHOOK_SECRET = sandbox.webhookSecret;
    const client = path.join(ROOT, 'packages/client/src/kalends.ts');
    const text = code
      .replace("'@kalends/client'", `'${client}'`)
      .replace('createServer(webhook', 'export const server = createServer(webhook')
      .replace('.listen(3000)', `.listen(${port})`);
    const { server } = await import(await moduleOf(text));
    const { headers, body } = signingSecret(sandbox.webhookSecret).deliver(
      '{"changeType":"updated","events":[]}',
    );

    const send = (sent: string) => fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: sent });
    const statuses = [(await send(body)).status, (await send(`${body} `)).status];

    await close(server);
    assert.deepEqual(statuses, [204, 401]);
  }

  async function moduleOf(code: string): Promise<string> {
    const file = path.join(folder, `snippet-${Math.random().toString(36).slice(2)}.ts`);
    await writeFile(file, code);
    return file;
  }
});

describe('the marks of code in documents', () => {
  const problemsOf = (text: string) =>
    snippetProblems([{ path: 'docs/page.md', text }], (name) =>
      name === 'test/page.test.ts' ? 'reads page.md' : undefined,
    );

  it('a document with code that no test runs is reported with its line', () => {
    assert.match(
      problemsOf('# Page\n\n```sh\nls\n```\n').join(),
      /^docs\/page\.md:3: no test runs this code/,
    );
    assert.match(
      problemsOf('<!-- snippet: run by test/none.test.ts -->\n```sh\nls\n```\n').join(),
      /none\.test\.ts is not there/,
    );
    assert.match(
      problemsOf('<!-- snippet: not run, no -->\n```sh\nls\n```\n').join(),
      /no test runs this code/,
    );
    // A mark applies only to the next block.
    const twice = '<!-- snippet: run by test/page.test.ts -->\n```sh\nls\n```\n\n```sh\nls\n```\n';
    assert.match(problemsOf(twice).join(), /^docs\/page\.md:6: /);
  });

  it('a document is let be whose code a test runs that names it, or that says why none does, or that shows answers', () => {
    const run = '<!-- snippet: run by test/page.test.ts -->\n```sh\nls\n```\n';
    const not = '<!-- every ts snippet: not run, because it needs a live account -->\n```ts\n1;\n```\n';

    assert.deepEqual(problemsOf(`${run}${not}\`\`\`\nan answer\n\`\`\`\n`), []);
  });
});

async function unknownLanguage({ language }: Snippet): Promise<void> {
  assert.fail(`Nothing here runs code in ${language}`);
}
