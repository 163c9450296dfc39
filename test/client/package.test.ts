/** Tests the published client: packed, installed elsewhere, type-checked there and run on its supported runtimes. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { snippetsOf } from '../../scripts/snippet-rules.ts';
import { counterpart } from '../harness/counterpart.ts';
import { ADA, type ClientSite, openClientSite, STATE } from './client-site.ts';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
const PACKAGE = path.join(ROOT, 'packages/client');
/** The supported runtimes, if the system has them (Node from 20 on), with their flags. */
const RUNTIMES = [
  { name: 'Node', program: '/usr/bin/node', flags: [] },
  {
    name: 'Deno',
    program: '/usr/local/bin/deno',
    flags: ['run', '--quiet', '--no-prompt', '--allow-net=127.0.0.1'],
  },
  { name: 'Bun', program: '/usr/local/bin/bun', flags: ['run'] },
] as const;
const MARCH = { start: Date.UTC(2026, 2, 1), end: Date.UTC(2026, 3, 1) };

/** An integrator's code, whose types are checked. */
const PROGRAM = `
import { kalends, KalendsError, type CalendarEvent, type Tokens, verifyWebhook } from '@kalends/client';

const [, , url = '', clientId = '', clientSecret = '', redirectUri = '', callback = '', state = ''] = process.argv;
const client = kalends({ url, clientId, clientSecret, redirectUri, dpop: true });
let tokens: Tokens = await client.completeAuthorization({ url: callback, state, userId: 'ada' });
// The service refuses this one: the first call refreshes.
tokens = { ...tokens, accessToken: 'gone' };
const user = client.user({ load: () => tokens, save: (next) => { tokens = next; } });
const { calendars: [calendar] } = await user.calendars();
if (calendar === undefined) throw new Error('no calendar');
const made: CalendarEvent = await user.createEvent(
  { provider: calendar.provider, calendarId: calendar.id },
  { title: 'Packed', start: new Date('2026-03-02T09:00:00Z'), end: '2026-03-02T10:00:00Z' },
);
const titles: string[] = [];
for await (const event of user.events({ start: made.start, end: made.end })) titles.push(event.title);
const refusal = await verifyWebhook({ headers: {}, body: '' }, { keys: [] }).catch((error) => error.reason);
const gone = await user.event({ ...made, eventId: 'nothing' }).catch((error) => error instanceof KalendsError && error.code);
const refreshed = tokens.accessToken !== 'gone';
const bound = 'cnf' in JSON.parse(atob(tokens.accessToken.split('.')[1] ?? ''));
const runtime = 'Deno' in globalThis ? 'Deno' : 'Bun' in globalThis ? 'Bun' : 'Node';
console.log(JSON.stringify({ runtime, titles, refusal, gone, refreshed, bound }));
`;

/** The published test vectors of both signatures, on an older Node's cryptography, and a receiver of requests. */
const VECTORS = `
import { verifyWebhook, webhookFetchHandler } from '@kalends/client';
const headers = {
  'webhook-id': 'msg_2a161f33-a287-419f-85f9-fc95dbecccdd',
  'webhook-timestamp': '1790000000',
  'webhook-signature': 'v1a,ClNzh8jskfPsDqArmUq6vxG6/PAQmLXf7sMsXnReG1DAI3lMxKcQEyEqqWe/weLoTo8g72qIJ+H0nA1WhNWEDA==',
};
const body = '{"eventType":"event.updated","userId":"user_42","provider":"google","calendarId":"primary","events":[{"id":"evt_1","title":"Café meeting ☕ — Zoë","lastModified":"2026-09-21T10:00:00.000Z"}]}';
const keys = [{ key: 'whpk_0r0+Z02Sv1SRb1QjsKUnil6t2oqtAyhn5HHfKgbTXFs=' }];
const options = { keys, clientId: 'mine', now: () => 1790000000000 };
// Its signature is right, but the published delivery names no application.
for (const text of [body, body + ' '])
  console.log(await verifyWebhook({ headers, body: text }, options).catch(({ reason }) => reason));

const verify = { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', now: () => 1614265330000 };
const receiver = { verify, receive: ({ id, payload }) => console.log(id, payload.test) };
const signed = (body) => new Request('https://app.example/webhooks', { method: 'POST', body, headers: {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
} });
for (const body of ['{"test": 2432232314}', '{"test": 2}'])
  console.log((await webhookFetchHandler(receiver)(signed(body))).status);
`;

/** The declarations that the README's examples assume, in the terms of their frameworks. */
const DECLARATIONS = `
import { kalendsAdmin } from '@kalends/client/admin';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Change, FastifyLike, Kalends, Provider, ReceivedWebhook, Tokens, UserCalendars } from '@kalends/client';
import { AccountNeedsReconnect, createPkce, webhookExpressHandler, webhookFastifyPlugin, webhookFetchHandler } from '@kalends/client';
type Incoming = IncomingMessage & { user: { id: string }; session: { state: string }; url: string; body: any };
type Reply = ServerResponse & { redirect(to: string): void; json(value: unknown): void };
type Handler = (request: Incoming, response: Reply) => void;
declare const app: { get(path: string, handler: Handler): void; post(path: string, raw: unknown, handler: Handler): void };
declare const express: { raw(options: object): unknown };
declare const database: {
  saveTokens(id: string, tokens: Tokens): Promise<void>;
  saveVerifier(id: string, verifier: string): Promise<void>;
  tokens(id: string): Promise<Tokens | undefined>;
  cursor(id: string): Promise<string | undefined>;
  applyAndKeep(id: string, changes: readonly Change[], cursor: string): Promise<void>;
};
declare const queue: { add(job: ReceivedWebhook): Promise<void> };
declare const fastify: {
  register<Options>(plugin: (app: FastifyLike, options: Options) => Promise<void>, options: Options): PromiseLike<unknown>;
};
declare const hono: { post(path: string, handler: (context: { req: { raw: Request } }) => Promise<Response>): void };
declare const receiver: { verify: Kalends['webhook']; receive(webhook: ReceivedWebhook): Promise<void> };
declare const mine: UserCalendars;
declare const client: Kalends;
declare const provider: Provider;
declare const id: string;
declare const calendarId: string;
`;

/** Returns the README's first example as a module, and each of the others as a function in it. */
async function examples(): Promise<string> {
  const readme = await readFile(path.join(PACKAGE, 'README.md'), 'utf8');
  const [first = '', ...others] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code);
  assert.ok(others.length >= 4);
  // Exports of a module become constants of the function.
  const bodies = others.map((code = '') => code.replaceAll(/^export /gm, ''));
  const functions = bodies.map((code, at) => `export async function example${at}() {\n${code}}\n`);
  return [first, DECLARATIONS, ...functions].join('\n');
}

/** Schemas of the OpenAPI document, with the names of their types in the client. */
const SHAPES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['Account', 'Attendee', 'Availability', 'Calendar', 'ChangedEvent', 'ChangesPage', 'ConnectionStatus']
      .concat([
        'EventsPage',
        'FreeBusy',
        'KnownRecurrence',
        'ReadProblem',
        'Recurrence',
        'TimeInterval',
        'WorkingHours',
      ])
      .map((name) => [name, name]),
  ),
  Event: 'CalendarEvent',
  NewReconnectLink: 'AccountOfProvider',
};

/** Returns a module that compiles only if each type has exactly the members of its schema. */
async function shapes(): Promise<string> {
  const { components } = JSON.parse(await readFile(path.join(ROOT, 'docs/openapi.json'), 'utf8'));
  const checks = Object.entries(SHAPES).map(([schema, type]) => {
    const members = Object.keys(components.schemas[schema].properties).map((name) => `${name}: 0`);
    return `export const ${schema}: Record<keyof client.${type}, 0> = { ${members.join(', ')} };`;
  });
  return ["import type * as client from '@kalends/client';", ...checks].join('\n');
}

/** Writes each `ts` snippet of the documents as a module; returns the names. The client's README has its own check. */
async function writeSnippets(folder: string): Promise<string[]> {
  const documents = globSync(['*.md', 'docs/**/*.md', 'examples/*/*.md'], { cwd: ROOT });
  const texts = documents.map((name) => ({ path: name, text: readFileSync(path.join(ROOT, name), 'utf8') }));
  const snippets = texts.flatMap(snippetsOf).filter(({ language }) => language === 'ts');
  const files = snippets.map(({ document, line }) => `${document.replaceAll(/\W/g, '-')}-${line}.ts`);
  // One snippet imports the sandbox of a checkout.
  const inCheckout = (code: string) => code.replaceAll("'./sandbox/", `'${ROOT}/sandbox/`);
  for (const [i, { code }] of snippets.entries())
    await writeFile(path.join(folder, files[i] ?? ''), `${inCheckout(code)}\nexport {};\n`);
  return files;
}

/** Checks and compiles the program as an application would, and checks the snippets; returns the compiler's errors. */
async function build(folder: string): Promise<string> {
  const options = {
    target: 'es2022',
    module: 'nodenext',
    lib: ['esnext'],
    types: ['node'],
    strict: true,
    skipLibCheck: false,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    outDir: 'built',
  };
  const program = { compilerOptions: options, files: ['program.ts', 'readme.ts', 'shapes.ts'] };
  // The snippet of the sandbox reads its sources, whose dependencies' declarations are not checked here.
  const sources = { rootDir: '/', skipLibCheck: true, allowImportingTsExtensions: true };
  const checking = { ...options, ...sources, noEmit: true };
  const snippets = { compilerOptions: checking, files: await writeSnippets(folder) };
  return (
    (await compile(folder, 'tsconfig.json', program)) + (await compile(folder, 'snippets.json', snippets))
  );
}

/** Returns the compiler's errors. */
async function compile(folder: string, name: string, config: object): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, JSON.stringify(config));
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  try {
    await run(process.execPath, [tsc, '-p', file], { cwd: folder });
    return '';
  } catch (failure) {
    return String(Reflect.get(Object(failure), 'stdout') || failure);
  }
}

describe('the published client', () => {
  let folder: string;
  let installed: string;
  /** The output of the type check. */
  let complaints: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-client-'));
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PACKAGE });
    // npm's output about the one package that it packed. The build's own lines may come before it.
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as { filename: string }[];
    assert.ok(packed);
    await writeFile(path.join(folder, 'package.json'), '{"name":"app","private":true,"type":"module"}');
    // It has no dependencies, so nothing is asked of a registry.
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${packed.filename}`], {
      cwd: folder,
    });
    installed = path.join(folder, 'node_modules/@kalends/client');
    await writeFile(path.join(folder, 'program.ts'), PROGRAM);
    await writeFile(path.join(folder, 'readme.ts'), await examples());
    await writeFile(path.join(folder, 'shapes.ts'), await shapes());
    await writeFile(path.join(folder, 'vectors.mjs'), VECTORS);
    await mkdir(path.join(folder, 'node_modules/@types'), { recursive: true });
    for (const name of ['@types/node', 'undici-types'])
      await symlink(path.join(ROOT, 'node_modules', name), path.join(folder, 'node_modules', name));
    complaints = await build(folder);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('the published client is its built code, its types, its README and the licence, and depends on nothing', async () => {
    const files = await readdir(installed, { recursive: true, withFileTypes: true });
    const { dependencies, exports } = JSON.parse(
      await readFile(path.join(installed, 'package.json'), 'utf8'),
    );

    const names = files.filter((file) => file.isFile()).map(({ name }) => name);
    assert.deepEqual(names.filter((name) => !/\.js$|\.d\.ts$/.test(name)).sort(), [
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    assert.equal(dependencies, undefined);
    for (const file of ['.', './admin'].flatMap((entry) => Object.values<string>(exports[entry])))
      assert.ok(await readFile(path.join(installed, file), 'utf8'));
    for (const name of names.filter((one) => one.endsWith('.js')))
      assert.doesNotMatch(
        await readFile(path.join(installed, 'dist', name), 'utf8'),
        /from ['"](?!\.\/)/,
        name,
      );
  });

  it('an application can install the client’s folder of a checkout, which is built then', async () => {
    const checkout = path.join(folder, 'checkout');
    const app = path.join(folder, 'app');
    const isSource = (file: string) => file !== path.join(PACKAGE, 'dist');
    await cp(PACKAGE, path.join(checkout, 'packages/client'), { recursive: true, filter: isSource });
    await symlink(path.join(ROOT, 'node_modules'), path.join(checkout, 'node_modules'));
    await mkdir(app);
    await writeFile(path.join(app, 'package.json'), '{"name":"app","private":true,"type":"module"}');

    const from = '../checkout/packages/client';
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', from], { cwd: app });

    const script = "import { kalends } from '@kalends/client'; console.log(typeof kalends);";
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: app });
    assert.equal(stdout, 'function\n');
  });

  it('the published client has types that an application, the snippets of all documents and the documented schemas pass', async () => {
    assert.equal(complaints, '');
  });

  for (const { name, program, flags } of RUNTIMES) {
    describe(`on ${name}`, counterpart(name, program), () => {
      let site: ClientSite;
      before(async () => {
        site = await openClientSite();
      });
      after(() => site?.close());
      const runs = async (file: string, ...args: string[]) =>
        (await run(program, [...flags, file, ...args], { cwd: folder })).stdout;

      it('the published client is led through the flow, refreshes, writes and reads', async () => {
        const { url, clientId, clientSecret = '', redirectUri } = site.options;
        await site.program.command('client', 'update', clientId, '--sender-constraint', 'accepted');
        const callback = String(await site.authorize('ada'));

        const output = await runs(
          'built/program.js',
          url,
          clientId,
          clientSecret,
          redirectUri,
          callback,
          STATE,
        );

        assert.deepEqual(JSON.parse(output), {
          runtime: name,
          titles: ['Packed'],
          refusal: 'missing_headers',
          gone: 'event_not_found',
          refreshed: true,
          bound: true,
        });
        assert.equal((await site.sandbox.manual.instances(ADA, site.calendarId, MARCH)).length, 1);
      });

      it('the published client accepts the published webhooks, and no others', async () => {
        const keys = ['other_application', 'no_matching_signature'];
        const lines = [...keys, 'msg_p5jXN8AQM9LWM0D4loKWxJek 2432232314', '204', '401', ''];

        assert.equal(await runs('vectors.mjs'), lines.join('\n'));
      });
    });
  }
});
