/** Requests with DPoP proofs to the server of oauth-server.ts, for tests. */
import { randomBytes } from 'node:crypto';
import { createSealer } from '../../src/lib/sealing.ts';
import type { ClientChange } from '../../src/oauth/client.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import type { DpopKey, ProofOf } from '../harness/dpop-key.ts';
import { exchange, type OAuthServer, openOAuthServer, PUBLIC_URL, refresh } from './oauth-server.ts';

type Changed = Partial<ProofOf>;

const sealer = createSealer(randomBytes(32));

/** Opens a server whose application `acme` has these switches. Servers on one database share the master key. */
export async function openDpopServer(db: Database, switches: ClientChange): Promise<OAuthServer> {
  const server = await openOAuthServer('HS256', { db, sealer });
  await changeSwitches(server, switches);
  return server;
}

export async function changeSwitches({ stores, clock }: OAuthServer, switches: ClientChange): Promise<void> {
  await stores.clients.updateClient('acme', switches, { now: clock.now, by: undefined });
}

/** Returns a proof for POST /token. */
export const proveToken = ({ clock }: OAuthServer, key: DpopKey, changed: Changed = {}): Promise<string> =>
  key.prove({ method: 'POST', url: `${PUBLIC_URL}/token`, now: clock.now, ...changed });

export const exchangeWith = ({ app }: OAuthServer, dpop: string, form: Record<string, string> = {}) =>
  exchange(app, form, { dpop });

export const refreshWith = ({ app }: OAuthServer, refreshToken: string, dpop: string) =>
  refresh(app, refreshToken, {}, { dpop });

/** Calls the protected route with the scheme DPoP, a bound token and a proof of `key`. */
export async function callWith(
  { app, clock }: OAuthServer,
  accessToken: string,
  { key, ...changed }: Changed & { readonly key: DpopKey },
) {
  const request = { method: 'GET', url: `${PUBLIC_URL}/protected`, now: clock.now };
  const dpop = await key.prove({ ...request, accessToken, ...changed });
  return app.inject({ url: '/protected', headers: { authorization: `DPoP ${accessToken}`, dpop } });
}

type Answered = { readonly statusCode: number; readonly body: string };

/** Returns the status and the code of an answer. */
export const outcomeOf = ({ statusCode, body }: Answered): string => {
  const { error, code } = JSON.parse(body);
  return statusCode === 200 ? '200' : `${statusCode} ${code ?? error}`;
};
