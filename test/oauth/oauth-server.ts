/** The token and revocation endpoints over real stores on a SQLite file, for tests of what they answer. */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { checkPushedParameters } from '../../src/connect/flow/authorize-request.ts';
import { toCallerNetworks } from '../../src/http/address-key.ts';
import { attemptLimit, networkLimit } from '../../src/http/attempt-limit.ts';
import { createServer } from '../../src/http/server.ts';
import type { Egress } from '../../src/lib/egress/egress.ts';
import { lazyEgress } from '../../src/lib/egress/lazy-egress.ts';
import type { Log } from '../../src/lib/log.ts';
import { createSealer, hashOfSecret, type Sealer } from '../../src/lib/sealing.ts';
import { authenticateBearer, requireScope } from '../../src/oauth/bearer-authentication.ts';
import { clientAssertions } from '../../src/oauth/client-assertion.ts';
import { openDpop } from '../../src/oauth/dpop.ts';
import { introspectionRoute } from '../../src/oauth/introspection.route.ts';
import { createIssuer, ISSUER_NAMES } from '../../src/oauth/issuers.ts';
import { metadataRoutes } from '../../src/oauth/metadata.route.ts';
import { parRoute } from '../../src/oauth/par.route.ts';
import { revocationRoute } from '../../src/oauth/revocation.route.ts';
import type { Scope } from '../../src/oauth/scope.ts';
import { openSigningKeys, rotateSigningKeys } from '../../src/oauth/signing-keys.ts';
import { type TokenRouteDeps, tokenRoute } from '../../src/oauth/token.route.ts';
import { createTokenSigner } from '../../src/oauth/token-signer.ts';
import { wrongCodeLimits } from '../../src/oauth/wrong-codes.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { beginFamily } from '../../src/store/oauth/token-family-store.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { collectedActivity } from '../harness/activity-notes.ts';
import { openMigratedSqlite } from '../harness/migrated.ts';
import { withProfiles } from '../harness/profiles.ts';

export const REDIRECT_URI = 'https://app.example/callback';
/** The public URL, which is the issuer. */
export const PUBLIC_URL = 'https://kalends.example';
export const ISSUER = PUBLIC_URL;
export const SECRET = 'a1B2c3D4e5F6';

const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** `db`: a migrated database that the caller closes; a SQLite of its own by default. */
type OAuthServerOptions = Pick<TokenRouteDeps, 'tokenAnswered' | 'codeReplayed'> & {
  readonly db?: Database;
  readonly sealer?: Sealer;
  readonly log?: Log;
  /** Reads keys of applications. */
  readonly egress?: Pick<Egress, 'request'>;
  /** Started flows per minute and address. */
  readonly mostStarts?: number;
  /** Applications with the profile `fapi2`; they are created too. */
  readonly strict?: readonly string[];
};

export type OAuthServer = Awaited<ReturnType<typeof openOAuthServer>>;

/** A server with the applications `acme` and `other`; `clock.now` is its time, epoch milliseconds. */
export async function openOAuthServer(
  tokenAlgorithm: 'HS256' | 'ES256' = 'HS256',
  options: OAuthServerOptions = {},
) {
  const {
    tokenAnswered,
    codeReplayed,
    db: given,
    sealer = createSealer(randomBytes(32)),
    log = silentLog,
  } = options;
  const { egress = lazyEgress({ privateNetwork: { mode: 'deny' } }), mostStarts = 300 } = options;
  const { strict = [] } = options;
  const folder = await mkdtemp(path.join(tmpdir(), 'kalends-oauth-'));
  const db = given ?? (await openMigratedSqlite(path.join(folder, 'kalends.db')));
  const clock = { now: Date.UTC(2026, 10, 1) };
  const now = () => clock.now;

  const opened = openStores(db, { sealer });
  const stores = { ...opened, clients: withProfiles(opened.clients, new Set(strict)) };
  const keysDeps = { keys: stores.signingKeys, sealer, now, log };
  const signingKeys = await openSigningKeys(tokenAlgorithm, keysDeps);
  const signer = createTokenSigner(signingKeys, now);
  for (const clientId of ['acme', 'other', ...strict]) {
    if ((await stores.clients.findClient(clientId)) !== undefined) continue;
    const client = {
      clientId,
      name: clientId,
      displayName: undefined,
      redirectUri: REDIRECT_URI,
      webhookUrl: undefined,
    };
    await stores.clients.createClient({ ...client, createdAt: clock.now }, hashOfSecret(SECRET), undefined);
  }

  const wrongCodes = wrongCodeLimits({ wrongCodesPerMinute: 300, wrongCodesOfUserPerMinute: 20 });
  const app = createServer({ log, trustProxy: undefined, secure: true });
  const activityNotes = collectedActivity();
  const successorKey = sealer.derive('refresh successors');
  const nonceKey = sealer.derive('dpop nonces');
  const isPublicOrigin = ({ origin }: URL) => origin === PUBLIC_URL;
  const dpop = openDpop({ ...stores, nonceKey, isPublicOrigin, now });
  const deps = {
    ...{ ...stores, signer, successorKey, dpop, activityNotes, log, now },
    ...{ wrongSecrets: attemptLimit(30, 60), wrongCodes, publicUrl: PUBLIC_URL },
    assertions: clientAssertions({ ...stores, egress, publicUrl: ISSUER, log, now }),
    attempts: { authorize: networkLimit(mostStarts, 60, toCallerNetworks) },
  };
  const pushing = { checkAuthorization: checkPushedParameters, hasAccount: async () => false };
  for (const name of ISSUER_NAMES) {
    const issuer = createIssuer(name, PUBLIC_URL);
    const own = { ...deps, ...pushing, tokenAnswered, codeReplayed, issuer, signer: signer.at(issuer) };
    for (const route of [tokenRoute, revocationRoute, introspectionRoute, parRoute])
      app.register(route(own), { prefix: issuer.prefix });
  }
  app.register(metadataRoutes({ publicUrl: PUBLIC_URL, signingKeys, tokenAlgorithm }));
  app.get('/protected', async (request) => {
    const grant = await authenticateBearer(request, deps);
    requireScope(grant, 'read', 'Reading is not allowed');
    return grant;
  });

  return {
    app,
    db,
    clock,
    stores,
    signer,
    assertions: deps.assertions,
    authentication: deps,
    signingKeys,
    noted: activityNotes.noted,
    rotateKeys: () => rotateSigningKeys(tokenAlgorithm, { ...keysDeps, by: undefined }),
    async close() {
      await app.close();
      if (given === undefined) await db.close();
      await rm(folder, { recursive: true });
    },
  };
}

type Approval = {
  clientId?: string;
  userId?: string;
  scope?: Scope;
  codeChallenge?: string | null;
  /** An opaque code; by default, the code is the user's id. */
  opaqueCode?: string | undefined;
  dpopJkt?: string | null;
  withdrawnAt?: number | null;
};

/** Writes the record an approval makes. */
export async function approve(
  { db, clock, stores }: Pick<OAuthServer, 'db' | 'clock' | 'stores'>,
  approval: Approval = {},
) {
  const {
    clientId = 'acme',
    userId = 'ada',
    scope = 'read',
    codeChallenge = null,
    opaqueCode,
    dpopJkt = null,
    withdrawnAt = null,
  } = approval;
  await stores.users.loadOrCreateUser(clientId, userId, clock.now);
  const codeHash = opaqueCode === undefined ? undefined : hashOfSecret(opaqueCode);
  const facts = { codeChallenge, codeHash, dpopJkt, redirectUri: REDIRECT_URI, finishes: 0 };
  const code = { clientId, userId, scope, ...facts };
  await db.transaction(async (tx) => {
    await tx.change(
      "DELETE FROM token_family WHERE client_id = :clientId AND user_id = :userId AND token_hash = ''",
      { clientId, userId },
    );
    const coverageId = await beginFamily(tx, code, clock.now);
    await tx.change('UPDATE token_family SET withdrawn_at = :withdrawnAt WHERE coverage_id = :coverageId', {
      withdrawnAt,
      coverageId,
    });
  });
}

/** POST /token in the form encoding, with the body credentials of `acme` unless others are given. */
export function postToken(
  app: FastifyInstance,
  form: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const credentials = 'authorization' in headers ? {} : { client_id: 'acme', client_secret: SECRET };
  return app.inject({
    method: 'POST',
    url: '/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams({ ...credentials, ...form }).toString(),
  });
}

type Texts = Record<string, string>;

export const exchange = (app: FastifyInstance, form: Texts = {}, headers: Texts = {}) =>
  postToken(
    app,
    { grant_type: 'authorization_code', code: 'ada', redirect_uri: REDIRECT_URI, ...form },
    headers,
  );

export const refresh = (app: FastifyInstance, refreshToken: string, form: Texts = {}, headers: Texts = {}) =>
  postToken(app, { grant_type: 'refresh_token', refresh_token: refreshToken, ...form }, headers);

/** Approves and exchanges: a fresh pair of tokens. */
export async function tokenPair(server: OAuthServer, approval: Approval = {}) {
  await approve(server, approval);
  const answer = await exchange(server.app, { code: approval.userId ?? 'ada' });
  const { access_token: accessToken, refresh_token: refreshToken } = answer.json<Record<string, string>>();
  if (!accessToken || !refreshToken) throw new Error(`No tokens: ${answer.body}`);
  return { accessToken, refreshToken };
}

export const callProtected = (app: FastifyInstance, accessToken: string) =>
  app.inject({ url: '/protected', headers: { authorization: `Bearer ${accessToken}` } });
