/** Servers as subjects of the three kinds of token work. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { type Kalends, type KalendsOptions, startKalends } from '../kalends.ts';
import type { CallSource } from '../load/http-load.ts';
import {
  type Application,
  bearerGet,
  exchanges,
  formPost,
  inTurn,
  refreshes,
  TokenQueue,
  tokensFor,
} from '../load/oauth-calls.ts';
import type { Pace, Subject } from '../measure.ts';
import { type Peer, startPeer } from '../peer-process.ts';
import type { RowContext } from '../row.ts';

export const KALENDS = 'Kalends, SQLite FULL';
export const OIDC_MEMORY = 'oidc-provider, memory';
export const OIDC_SQLITE = 'oidc-provider, SQLite FULL';
export const NODE_OAUTH_JWT = '@node-oauth + express, memory, JWTs';
export const NODE_OAUTH_RANDOM = '@node-oauth + express, memory, random tokens';
export const BARE_FORM = 'bare Fastify, form POST';
export const BARE_GET = 'bare Fastify, GET';

/** More codes than the fastest server exchanges in a second. */
const CODES_PER_SECOND = 40_000;

type Server = Pick<Kalends | Peer, 'port' | 'application' | 'seedCodes'> & {
  readonly process: { readonly pid: number };
};
type Users = { readonly pace: Pick<Pace, 'users'> };

export async function kalends(
  context: RowContext,
  options: Pick<KalendsOptions, 'databaseUrl' | 'program' | 'env'> = {},
): Promise<Kalends> {
  const server = await startKalends({ folder: context.folder, ...options });
  context.after(server.stop);
  return server;
}

export async function peer(context: RowContext, name: string, args: readonly string[] = []): Promise<Peer> {
  const server = await startPeer(name, args);
  context.after(server.stop);
  return server;
}

/** oidc-provider on a Map, on SQLite, or on a PostgreSQL database of its own. */
export async function oidc(
  context: RowContext,
  kind: 'memory' | 'sqlite' | 'postgres',
  format: 'jwt' | 'opaque' = 'jwt',
): Promise<Peer> {
  const name = `oidc_${kind}_${format}`;
  const place = {
    memory: async () => '-',
    sqlite: async () => path.join(context.folder, `${name}.db`),
    postgres: async () => (await context.postgres()).createDatabase(name),
  };
  return peer(context, 'oidc-provider', [kind, await place[kind](), format]);
}

export async function bareFastify(context: RowContext, body: string): Promise<Peer> {
  const file = path.join(context.folder, `body-${Buffer.byteLength(body)}.json`);
  await writeFile(file, body);
  return peer(context, 'bare-fastify', [file]);
}

/** Spends and gets refresh tokens, each once. */
export async function refreshing({ pace }: Users, name: string, server: Server): Promise<Subject> {
  const { port, application } = server;
  const tokens = await tokensFor(server, await server.seedCodes(pace.users));
  const queue = new TokenQueue(tokens.map(({ refresh_token }) => refresh_token));
  const source = refreshes('/token', queue, application);
  return { name, port, pid: server.process.pid, prepare: async () => source };
}

export function exchanging(name: string, server: Server): Subject {
  const { port, application } = server;
  const prepare = async (seconds: number) => {
    const codes = await server.seedCodes(Math.ceil(CODES_PER_SECOND * seconds));
    return exchanges('/token', codes, application);
  };
  return { name, port, pid: server.process.pid, prepare };
}

/** Presents access tokens of as many users in turn. */
export async function presenting(
  { pace }: Users,
  { name, server }: { readonly name: string; readonly server: Server },
  requestOf: (accessToken: string, application: Application) => string,
): Promise<Subject> {
  const { port, application } = server;
  const tokens = await tokensFor(server, await server.seedCodes(pace.users));
  const requests = tokens.map(({ access_token }) => requestOf(access_token, application));
  return { name, port, pid: server.process.pid, prepare: async () => inTurn(requests) };
}

/** The same request again and again. */
export function repeating(name: string, { port, process }: Server, request: string): Subject {
  const source: CallSource = inTurn([request]);
  return { name, port, pid: process.pid, prepare: async () => source };
}

export const getWith = (at: string) => (token: string) => bearerGet(at, token);

export const introspect = (token: string, application: Application) =>
  formPost('/token/introspection', { token }, application);
