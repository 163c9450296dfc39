/**
 * Compares this checkout with another commit: `npm run compare -- --against COMMIT [--requests NUMBER] [--seed NUMBER]`.
 * The commit fills a database. Both programs run on copies of it, on SQLite and on PostgreSQL, and get the same requests
 * and commands. It prints each result that differs by more than random ids, times and messages, and exits with 1 if there
 * is one. Changed messages are listed. Then each program continues an installation of the other on SQLite.
 */
import './needs-node.js';

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';

import pg from 'pg';

import { checkOut } from '../bench/against/checkouts.ts';
import { endedWithBench, nodeOf, startSide } from '../bench/against/side-process.ts';
import { kalendsEnvironment } from '../bench/kalends.ts';
import { type Application, REDIRECT_URI } from '../bench/load/oauth-calls.ts';
import { freePort } from '../test/harness/loopback.ts';
import { type Postgres, startPostgres } from '../test/harness/postgres.ts';
import { COMMANDS } from './compare-commands.ts';
import { handOver } from './compare-handover.ts';
import { type ApiDocument, type GeneratedRequest, generateRequests } from './compare-requests.ts';
import { changedMessages, findDifference } from './compare-results.ts';

const USERS = 20;
const START_MS = 30_000;
const HEADERS = [
  'content-type',
  'www-authenticate',
  'cache-control',
  'location',
  'retry-after',
  'allow',
  'etag',
  'link',
];

type Names = Record<string, string>;
type Result = Readonly<Record<string, unknown>>;
type Program = {
  readonly env: Readonly<Record<string, string>>;
  readonly names: Names;
  send(request: GeneratedRequest): Promise<Result>;
  run(command: string): Promise<Result>;
  stop(): Promise<void>;
};
type Seeded = {
  readonly application: Application;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly codes: readonly string[];
};

const { values: options } = parseArgs({
  options: {
    against: { type: 'string' },
    requests: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
  },
});
if (options.against === undefined) throw new Error('Name the commit: --against COMMIT');
const checkouts = await checkOut(options.against);
console.log(`Base: ${checkouts.subject}`);
const postgres = await startPostgres();
let differences = 0;
try {
  for (const database of [undefined, postgres]) differences += await compareOn(database);
} finally {
  await postgres.stop();
}
for (const message of changedMessages()) console.log(`Changed message: ${message}`);
const { base, current } = checkouts;
for (const [name, from, to] of [
  ['An upgrade', base, current],
  ['The reverse', current, base],
] as const) {
  const problem = await handOver(from, to).then(
    () => undefined,
    (reason: Error) => reason,
  );
  if (problem !== undefined) differences += 1;
  console.log(`${name}: ${problem?.message ?? 'everything continues'}.`);
}
console.log(`${differences} difference(s).`);
process.exit(differences === 0 ? 0 : 1);

/** Returns the number of differences on PostgreSQL, or on SQLite if it is absent. */
async function compareOn(database: Postgres | undefined): Promise<number> {
  const folder = await mkdtemp(`${checkouts.base}-compare-`);
  const seeded = await fill(folder, database);
  const base = await startProgram(checkouts.base, folder, seeded);
  const current = await startProgram(checkouts.current, folder, seeded);
  let count = 0;
  const compare = async (what: string, ask: (program: Program) => Promise<Result>) => {
    const [before, now] = [await ask(base), await ask(current)];
    const difference = findDifference(before, now);
    if (difference === undefined) return;
    count += 1;
    console.log(`${what}\n  ${difference}`);
  };
  try {
    const api: ApiDocument = JSON.parse(
      await readFile(path.join(checkouts.base, 'docs/openapi.json'), 'utf8'),
    );
    const [requests, seed] = [Number(options.requests), Number(options.seed)];
    for (const [i, request] of generateRequests(api, { count: requests, seed }).entries()) {
      // Another user's grant, since a request may revoke one.
      if (i % Math.ceil(requests / USERS) === 0) {
        const code = seeded.codes[Math.floor((i * USERS) / requests)] ?? '';
        for (const program of [base, current]) await exchange(program, code);
      }
      await compare(`${request.method} ${request.path} ${request.body ?? ''}`, (program) =>
        program.send(request),
      );
    }
    for (const command of COMMANDS) await compare(command, (program) => program.run(command));
  } finally {
    await Promise.all([base.stop(), current.stop()]);
  }
  console.log(`${database === undefined ? 'SQLite' : 'PostgreSQL'}: ${count} difference(s).`);
  return count;
}

/** Fills a database by the stores of the base, and stops its server. */
async function fill(folder: string, database: Postgres | undefined): Promise<Seeded> {
  const side = startSide(checkouts.base);
  const databaseUrl = database && (await createDatabase(database, 'seeded'));
  const server = await side.start({
    folder,
    mirrored: USERS,
    ...(databaseUrl !== undefined && { databaseUrl }),
  });
  const codes = await server.seedCodes(USERS);
  await side.stop();
  side.end();
  const name = (await readdir(folder)).find((entry) => entry.startsWith('kalends-')) ?? '';
  return { application: server.application, dataDir: path.join(folder, name), databaseUrl, codes };
}

/** Starts the program of a checkout on a copy of the data. */
async function startProgram(checkout: string, folder: string, seeded: Seeded): Promise<Program> {
  const { application, dataDir, databaseUrl } = seeded;
  const name = path.basename(checkout);
  await mkdir(path.join(folder, name));
  const copy = path.join(folder, name, 'data');
  await cp(dataDir, copy, { recursive: true });
  const copyUrl = databaseUrl && (await createDatabase(postgres, name, 'seeded'));
  const port = await freePort();
  const env = { ...kalendsEnvironment(copy, port, copyUrl), KALENDS_URL: 'http://127.0.0.1:1' };
  const [node, main] = [nodeOf(checkout), path.join(checkout, 'src/start.js')];
  const server = endedWithBench(spawn(node, [main, 'serve'], { env, stdio: 'ignore' }));
  const url = `http://127.0.0.1:${port}`;
  await untilHealthy(url);
  const { clientId, clientSecret } = application;
  const names: Names = {
    client_id: clientId,
    client_secret: clientSecret,
    basic: Buffer.from(`${clientId}:${clientSecret}`).toString('base64'),
    redirect_uri: REDIRECT_URI,
    code: 'user-0',
  };
  const fillIn = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole);
  return {
    env,
    names,
    async send({ method, path: at, headers, body }) {
      const filled = Object.entries(headers).map(([name, text]): [string, string] => [name, fillIn(text)]);
      const init = {
        method,
        headers: filled,
        redirect: 'manual' as const,
        ...(body && { body: fillIn(body) }),
      };
      const response = await fetch(url + fillIn(at), init);
      return { status: response.status, headers: headersOf(response), body: parse(await response.text()) };
    },
    async run(command) {
      const args = [main, ...command.split(' ').map(fillIn), '--json'];
      const result = await new Promise<Result>((resolve) => {
        execFile(node, args, { env }, (error, stdout) =>
          resolve({ exit: error?.code ?? 0, body: parse(stdout.replaceAll(copy, 'DATA')) }),
        );
      });
      keepIds(result.body, names);
      return result;
    },
    async stop() {
      server.kill();
      if (server.exitCode === null) await once(server, 'exit');
    },
  };
}

async function exchange(program: Program, code: string): Promise<void> {
  const { client_id, client_secret } = program.names;
  const fields = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    client_id,
    client_secret,
  };
  const { status, body } = await program.send({
    method: 'POST',
    path: '/token',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  });
  if (status !== 200) throw new Error(`The code ${code} was not exchanged: ${JSON.stringify(body)}`);
  Object.assign(program.names, body);
}

function headersOf({ headers }: Response): Result {
  return Object.fromEntries(HEADERS.map((name) => [name, headers.get(name)]));
}

/** Returns the value of JSON, the values of lines of JSON, or the text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const lines = text.trim().split('\n');
    return lines.length > 1 && lines.every((line) => line.startsWith('{')) ? lines.map(parse) : text;
  }
}

/** Keeps ids for later commands. */
function keepIds(body: unknown, names: Names): void {
  if (typeof body !== 'object' || body === null) return;
  for (const [name, value] of Object.entries(body))
    if (name === 'endpoint_id' && typeof value === 'string') names[name] = value;
}

async function untilHealthy(url: string): Promise<void> {
  for (const deadline = performance.now() + START_MS; ; ) {
    const response = await fetch(`${url}/health`).catch(() => undefined);
    if (response?.ok) return;
    if (performance.now() > deadline) throw new Error('A server did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Creates a database, as a copy of `template` if it is named, and returns its URL. */
async function createDatabase({ url }: Postgres, name: string, template = 'template1'): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  await client.end();
  return Object.assign(new URL(url), { pathname: name }).href;
}
