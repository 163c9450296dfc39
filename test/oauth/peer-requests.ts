/** Sends one request, valid but for one change, to a peer and returns what it answers. */
import { randomUUID } from 'node:crypto';
import { mock } from 'node:test';
import { deriveChallenge } from '../../src/oauth/pkce.ts';
import { dpopKey } from '../harness/dpop-key.ts';
import { ASSERTION_TYPE, newKey, signedWith } from './assertions.ts';
import { REDIRECT_URI } from './oauth-server.ts';
import { type Change, type Context, type Endpoint, MUTATIONS } from './peer-mutations.ts';
import { type Peer, type PeerAnswer, type PeerKeys, RESOURCE_PATH } from './peer-servers.ts';

export const newKeys = () => ({
  bank: newKey(),
  bankRsa: newKey('PS256'),
  other: newKey(),
  unregistered: newKey(),
});
type Keys = ReturnType<typeof newKeys>;
export const registered = ({ bank, bankRsa, other }: Keys): PeerKeys => ({
  bank: [bank, bankRsa],
  other: [other],
});

type Form = Readonly<Record<string, string | undefined>>;
type ClientId = 'bank' | 'other';
type Draw = Context['draw'];

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = deriveChallenge(VERIFIER);
const PATHS: Readonly<Record<Endpoint, string>> = {
  ...{ par: '/par', code: '/token', refresh: '/token' },
  ...{ introspect: '/introspect', revoke: '/revoke', resource: RESOURCE_PATH },
};
const PROVEN: readonly Endpoint[] = ['par', 'code', 'refresh', 'resource'];

export type PeerClient = Awaited<ReturnType<typeof peerClient>>;

/** Sends requests of the applications `bank` and `other` to a peer. */
export async function peerClient(peer: Peer, keys: Keys) {
  const provers = { bank: await dpopKey(), other: await dpopKey() };

  const approve = (clientId: ClientId = 'bank', dpopJkt: string | null = null) =>
    peer.approve({ clientId, codeChallenge: CHALLENGE, dpopJkt });

  async function tokens(clientId: ClientId = 'bank') {
    const valid = await codeForm(await approve(clientId));
    const { body, status } = await run('code', clientId, { form: valid });
    if (status !== 200) throw new Error(`No tokens: ${status} ${JSON.stringify(body)}`);
    return { access: String(body.access_token), refresh: String(body.refresh_token) };
  }
  const revoke = async (token: string) => {
    const { status } = await run('revoke', 'bank', { form: { token } });
    if (status !== 200) throw new Error(`Not revoked: ${status}`);
  };

  const codeForm = (code: string): Form => ({
    ...{ grant_type: 'authorization_code', code },
    ...{ redirect_uri: REDIRECT_URI, code_verifier: VERIFIER },
  });
  async function validForm(endpoint: Endpoint): Promise<Form> {
    if (endpoint === 'par')
      return {
        ...{ user_id: 'ada', redirect_uri: REDIRECT_URI, response_type: 'code', state: 'state' },
        ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256', scope: peer.scope },
      };
    if (endpoint === 'code') return codeForm(await approve());
    const { access, refresh } = await tokens();
    return endpoint === 'refresh'
      ? { grant_type: 'refresh_token', refresh_token: refresh }
      : { token: access };
  }

  function newAssertion(
    clientId: ClientId,
    { claims, header, signer = keys[clientId], assertion }: Change,
  ): string {
    const now = Math.floor(Date.now() / 1000);
    const valid = {
      iss: clientId,
      sub: clientId,
      aud: peer.issuer,
      exp: now + 60,
      iat: now,
      jti: randomUUID(),
    };
    const text = signedWith(signer, { alg: signer.alg, kid: signer.kid, ...header }, { ...valid, ...claims });
    return assertion?.(text) ?? text;
  }

  const newForm = async (endpoint: Endpoint, change: Change): Promise<Form> => ({
    ...(await validForm(endpoint)),
    ...change.form,
  });
  type Parts = { readonly form: Form; readonly assertion: string; readonly proof: string | undefined };
  async function signed(endpoint: Endpoint, clientId: ClientId, change: Change, form: Form): Promise<Parts> {
    const prover = change.prover ?? (PROVEN.includes(endpoint) ? provers[clientId] : undefined);
    const isResource = endpoint === 'resource';
    const request = {
      ...{ method: isResource ? 'GET' : 'POST', url: urlOf(endpoint), now: Date.now() },
      ...(isResource && form.token !== undefined && { accessToken: form.token }),
    };
    const valid = await prover?.prove({ ...request, ...change.proof });
    const proof = valid && (change.dpop ? change.dpop(valid) : valid);
    return { form, assertion: newAssertion(clientId, change), proof };
  }
  const urlOf = (endpoint: Endpoint) =>
    peer.origins[endpoint === 'resource' ? 'resource' : 'endpoints'] + PATHS[endpoint];

  function send(endpoint: Endpoint, clientId: ClientId, { assertion, proof, form }: Parts, change: Change) {
    const path = PATHS[endpoint] + (change.query ?? '');
    if (endpoint === 'resource') {
      const headers = withoutAbsent({ authorization: `DPoP ${form.token}`, dpop: proof, ...change.headers });
      return peer.send({ method: 'GET', path, headers, body: undefined });
    }
    const credentials = {
      client_id: clientId,
      client_assertion: assertion,
      client_assertion_type: ASSERTION_TYPE,
    };
    const sent = withoutAbsent({ ...credentials, ...form });
    const body = new URLSearchParams(sent);
    const { repeated, method = 'POST', contentType = 'application/x-www-form-urlencoded' } = change;
    if (repeated !== undefined) body.append(repeated, sent[repeated] ?? '');
    const headers = withoutAbsent({ 'content-type': contentType, dpop: proof, ...change.headers });
    return peer.send({ method, path, headers, body: body.toString() });
  }

  async function run(endpoint: Endpoint, clientId: ClientId, change: Change): Promise<PeerAnswer> {
    const form = await newForm(endpoint, change);
    if (change.wait !== undefined) mock.timers.tick(change.wait * 1_000);
    const parts = await signed(endpoint, clientId, change, form);
    if (change.used === undefined) return send(endpoint, clientId, parts, change);
    await send(endpoint, clientId, parts, change);
    // A code works once.
    const next = endpoint === 'code' && change.used !== 'form' ? await newForm(endpoint, change) : form;
    const again = await signed(endpoint, clientId, change, next);
    return send(endpoint, clientId, { ...again, [change.used]: parts[change.used] }, change);
  }

  return {
    /** Returns the status and the error of the request with the mutation. */
    async answerOf(endpoint: Endpoint, name: string, draw: Draw): Promise<string> {
      const context: Context = {
        ...{ peer, endpoint, keys, provers, draw, approve, tokens, revoke },
        ...{ url: urlOf(endpoint), now: Math.floor(Date.now() / 1000) },
      };
      const change = await MUTATIONS[endpoint][name]?.(context);
      return statusAndError(await run(endpoint, 'bank', change ?? {}), endpoint);
    },
  };
}

const withoutAbsent = (members: Form): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

function statusAndError({ status, challenge, body }: PeerAnswer, endpoint: Endpoint): string {
  // Errors of resources are in the challenge (RFC 6750 §3).
  const error = endpoint === 'resource' ? (/error="(\w+)"/.exec(challenge)?.[1] ?? '') : (body.error ?? '');
  const state = body.active === undefined ? '' : body.active ? 'active' : 'inactive';
  return [status, error, state].filter(Boolean).join(' ');
}
