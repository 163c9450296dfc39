/** Refresh grant, code exchange and Bearer check, beside peers in memory and on the same databases. */
import path from 'node:path';

import { sendOnce } from '../load/http-load.ts';
import { bearerGet, exchangeRequest, formPost, tokensFor } from '../load/oauth-calls.ts';
import type { LoadRow } from '../row.ts';
import {
  BARE_FORM,
  BARE_GET,
  bareFastify,
  exchanging,
  getWith,
  introspect,
  KALENDS,
  kalends,
  NODE_OAUTH_JWT,
  NODE_OAUTH_RANDOM,
  OIDC_MEMORY,
  OIDC_SQLITE,
  oidc,
  peer,
  presenting,
  refreshing,
  repeating,
} from './token-subjects.ts';

/**
 * The check alone: Kalends' server with a route behind it that says whose the token is, as the peers'
 * routes do. Of the program's own endpoints the lightest is beside it: it reads the user's accounts.
 */
export const BEARER_PROGRAM = path.resolve(import.meta.dirname, '../peers/kalends-bearer.ts');
const STATUS = 'Kalends, GET /connection-status';

export const refreshRow: LoadRow = {
  name: 'refresh',
  title: 'Refresh grant',
  comparisons: [
    { ours: KALENDS, theirs: OIDC_MEMORY, unit: '×', required: 3, outFor: 5 },
    { ours: KALENDS, theirs: OIDC_SQLITE, unit: '×', required: 8, outFor: 10 },
    { ours: KALENDS, theirs: NODE_OAUTH_JWT, unit: '×', required: 1.8, outFor: 2.5 },
    { ours: KALENDS, theirs: BARE_FORM, unit: '%', required: 0.25, outFor: 0.5 },
  ],
  async subjects(context) {
    const server = await kalends(context);
    const [code = ''] = await server.seedCodes(1);
    const answer = await sendOnce(server.port, exchangeRequest('/token', code, server.application));
    const bare = await bareFastify(context, answer);
    const refreshToken: string = JSON.parse(answer).refresh_token;
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
    return [
      await refreshing(context, KALENDS, server),
      await refreshing(context, OIDC_MEMORY, await oidc(context, 'memory')),
      await refreshing(context, OIDC_SQLITE, await oidc(context, 'sqlite')),
      await refreshing(context, NODE_OAUTH_JWT, await peer(context, 'node-oauth', ['jwt'])),
      repeating(BARE_FORM, bare, formPost('/token', form, server.application)),
    ];
  },
};

export const exchangeRow: LoadRow = {
  name: 'exchange',
  title: 'Code exchange',
  comparisons: [
    { ours: KALENDS, theirs: OIDC_MEMORY, unit: '×', required: 3, outFor: 4.5 },
    { ours: KALENDS, theirs: OIDC_SQLITE, unit: '×', required: 6, outFor: 10 },
  ],
  async subjects(context) {
    return [
      exchanging(KALENDS, await kalends(context)),
      exchanging(OIDC_MEMORY, await oidc(context, 'memory')),
      exchanging(OIDC_SQLITE, await oidc(context, 'sqlite')),
    ];
  },
};

const OIDC_INTROSPECTION = 'oidc-provider introspection, memory';

export const bearerRow: LoadRow = {
  name: 'bearer',
  title: 'Bearer check',
  comparisons: [
    { ours: KALENDS, theirs: OIDC_INTROSPECTION, unit: '×', required: 5, outFor: 10 },
    { ours: KALENDS, theirs: NODE_OAUTH_JWT, unit: '×', required: 1.8, outFor: 4 },
    { ours: KALENDS, theirs: NODE_OAUTH_RANDOM, unit: '×', required: 1.8, outFor: 4 },
    { ours: KALENDS, theirs: BARE_GET, unit: '%', required: 0.45, outFor: 0.8 },
  ],
  async subjects(context) {
    const server = await kalends(context, { program: BEARER_PROGRAM });
    const codes = await server.seedCodes(1);
    const [tokens] = await tokensFor(server, codes);
    const token = tokens?.access_token ?? '';
    const bare = await bareFastify(context, await sendOnce(server.port, bearerGet('/protected', token)));
    const whole = await kalends(context);
    const opaque = await oidc(context, 'memory', 'opaque');
    const jwts = await peer(context, 'node-oauth', ['jwt']);
    const random = await peer(context, 'node-oauth', ['random']);
    return [
      await presenting(context, { name: KALENDS, server }, guarded),
      await presenting(context, { name: OIDC_INTROSPECTION, server: opaque }, introspect),
      await presenting(context, { name: NODE_OAUTH_JWT, server: jwts }, guarded),
      await presenting(context, { name: NODE_OAUTH_RANDOM, server: random }, guarded),
      repeating(BARE_GET, bare, bearerGet('/bearer', token)),
      await presenting(context, { name: STATUS, server: whole }, getWith('/connection-status')),
    ];
  },
};

const guarded = getWith('/protected');

const KALENDS_REFRESH = 'Kalends, refresh';
const OIDC_REFRESH = 'oidc-provider, refresh';
const KALENDS_BEARER = 'Kalends, Bearer check';
const OIDC_BEARER = 'oidc-provider, introspection';

export const postgresRow: LoadRow = {
  name: 'postgres',
  title: 'The same on PostgreSQL',
  comparisons: [
    { ours: KALENDS_REFRESH, theirs: OIDC_REFRESH, unit: '×', required: 5, outFor: 8 },
    { ours: KALENDS_BEARER, theirs: OIDC_BEARER, unit: '×', required: 6, outFor: 9 },
  ],
  async subjects(context) {
    const postgres = await context.postgres();
    const databaseUrl = await postgres.createDatabase('kalends');
    const server = await kalends(context, { databaseUrl });
    const databaseOfBearer = await postgres.createDatabase('kalends_bearer');
    const bearer = await kalends(context, { databaseUrl: databaseOfBearer, program: BEARER_PROGRAM });
    const opaque = await oidc(context, 'postgres', 'opaque');
    return [
      await refreshing(context, KALENDS_REFRESH, server),
      await refreshing(context, OIDC_REFRESH, await oidc(context, 'postgres')),
      await presenting(context, { name: KALENDS_BEARER, server: bearer }, getWith('/protected')),
      await presenting(context, { name: OIDC_BEARER, server: opaque }, introspect),
    ];
  },
};
