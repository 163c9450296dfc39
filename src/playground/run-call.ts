/** Runs a call of a test user: sent as an application sends it, and shown without tokens. */

import type { By } from '../audit/audit-entry.ts';
import { jsonIn } from '../lib/json.ts';
import type { Client } from '../oauth/client.ts';
import { ACCESS_TOKEN_SECONDS } from '../oauth/token-signer.ts';
import { mustBeAllowed } from '../people/permission.ts';
import type { Person } from '../people/person.ts';
import type { OperationForm } from './operation-forms.ts';
import { type Call, TOKEN_WORDS } from './read-call.ts';
import { signProof } from './test-key.ts';
import { currentTokens, type TestTokenDeps } from './test-tokens.ts';
import type { TestTokens, TestUserKey, TestUserStore } from './test-user-store.ts';

export type SentCall = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** The response, as far as it is stored. `isCut`: `text` is incomplete. */
export type ReceivedAnswer = {
  readonly status: number;
  readonly requestId: string;
  readonly text: string;
  readonly isCut: boolean;
  /** The nonce that the next DPoP proof needs. */
  readonly nonce?: string | undefined;
};

/** Sends a request to this server's own API; `undefined` if no response came in time. */
export type SendCall = (call: SentCall) => Promise<ReceivedAnswer | undefined>;

export type RunCallDeps = TestTokenDeps & {
  readonly testUsers: Pick<TestUserStore, 'tokensOf' | 'renewTokens' | 'noteCall'>;
};

export type RunCall = {
  readonly clientId: string;
  readonly user: TestUserKey | undefined;
  readonly form: OperationForm;
  readonly call: Call;
  readonly clientSecret: string;
};

export type ShownAnswer = ReceivedAnswer & { readonly milliseconds: number };

/** Sends the call. Returns `undefined` if no response came in time. Throws PeopleRefusal. */
export async function runCall(
  person: Person,
  run: RunCall,
  { send, ...deps }: RunCallDeps & By & { readonly send: SendCall },
): Promise<ShownAnswer | undefined> {
  const { clientId, user, form, call, clientSecret } = run;
  mustBeAllowed(person, 'playground.use', clientId);
  const tokens = user && (await currentTokens(user, deps));
  const begun = performance.now();
  const request = sentCall(call, { clientId, clientSecret, tokens });
  let answer = await send(await withProof(request, { call, tokens }, deps));
  const { nonce } = answer ?? {};
  if (nonce !== undefined && (answer?.status === 401 || answer?.status === 400))
    answer = await send(await withProof(request, { call, tokens, nonce }, deps));
  const milliseconds = Math.round(performance.now() - begun);
  if (user !== undefined && form.method !== 'GET')
    await deps.testUsers.noteCall(user, { operation: form.id, status: answer?.status ?? 0, by: deps.by });
  if (answer === undefined) return undefined;
  const { text, renewed } = withoutTokens(answer.text);
  if (user !== undefined && renewed !== undefined)
    await keepRenewed({ user, renewed, key: tokens?.key }, deps);
  return { ...answer, text, milliseconds };
}

type Credentials = Pick<RunCall, 'clientId' | 'clientSecret'> & { readonly tokens: TestTokens | undefined };

function sentCall(call: Call, { clientId, clientSecret, tokens }: Credentials): SentCall {
  const { method, path, headers, body, credentials } = call;
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
  const authorization = {
    user: tokens && `${tokens.key ? 'DPoP' : 'Bearer'} ${tokens.accessToken}`,
    application: `Basic ${basic.toString('base64')}`,
    none: undefined,
  }[credentials];
  return {
    ...{ method, path },
    headers: {
      accept: 'application/json',
      ...headers,
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(withTokens(body, path, tokens)),
  };
}

type Prover = { readonly call: Call; readonly tokens: TestTokens | undefined; readonly nonce?: string };

/** Adds a proof of the test user's key to its calls, and to requests for its tokens. */
async function withProof(
  request: SentCall,
  { call: { method, path, credentials }, tokens, nonce }: Prover,
  { publicUrl, now }: Pick<RunCallDeps, 'publicUrl' | 'now'>,
): Promise<SentCall> {
  const isUser = credentials === 'user';
  if (tokens?.key === undefined || !(isUser || path === '/token')) return request;
  const accessToken = isUser ? tokens.accessToken : undefined;
  const [url = ''] = (publicUrl + path).split('?');
  const dpop = await signProof(tokens.key, { method, url, accessToken, nonce }, now());
  return { ...request, headers: { ...request.headers, dpop } };
}

/** Returns whether a call needs the private key of the application, which only the application has. */
export const needsPrivateKey = (
  { clientAuthentication, revocation }: Pick<Client, 'clientAuthentication' | 'revocation'>,
  { caller, path }: Pick<OperationForm, 'caller' | 'path'>,
): boolean =>
  clientAuthentication === 'private_key_jwt' &&
  caller === 'application' &&
  (path !== '/revoke' || revocation === 'authenticated');

/** The operations that take a token in their body. Elsewhere, a token could end up in a calendar or a response. */
const WITH_TOKENS: readonly string[] = ['/token', '/revoke', '/introspect'];

/** Replaces placeholders in fields with the test user's tokens. */
function withTokens(body: unknown, path: string, tokens: TestTokens | undefined): unknown {
  if (
    tokens === undefined ||
    !WITH_TOKENS.includes(path) ||
    typeof body !== 'object' ||
    body === null ||
    Array.isArray(body)
  )
    return body;
  const placeholders = Object.entries(TOKEN_WORDS);
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const [key] = placeholders.find(([, word]) => word === value) ?? [];
      return [name, key === undefined ? value : tokens[key as keyof typeof TOKEN_WORDS]]; // a key of it
    }),
  );
}

type TokenAnswer = { readonly access_token: string; readonly refresh_token: string };

/** Returns the response of `/token` with placeholders for its tokens. */
function withoutTokens(text: string): { readonly text: string; readonly renewed: TokenAnswer | undefined } {
  const answer = jsonIn(text);
  if (typeof answer !== 'object' || answer === null) return { text, renewed: undefined };
  if (!('access_token' in answer && 'refresh_token' in answer)) return { text, renewed: undefined };
  const hidden = { access_token: TOKEN_WORDS.accessToken, refresh_token: TOKEN_WORDS.refreshToken };
  const { access_token, refresh_token } = answer;
  const areTexts = typeof access_token === 'string' && typeof refresh_token === 'string';
  return {
    text: JSON.stringify({ ...answer, ...hidden }),
    renewed: areTexts ? { access_token, refresh_token } : undefined,
  };
}

/** Stores new tokens if they belong to the test user. Tokens of other users are discarded. */
async function keepRenewed(
  {
    user,
    renewed: { access_token: accessToken, refresh_token: refreshToken },
    key,
  }: { readonly user: TestUserKey; readonly renewed: TokenAnswer; readonly key: TestTokens['key'] },
  { testUsers, signer, now }: RunCallDeps,
): Promise<void> {
  const grant = await signer.readAccessToken(accessToken);
  if (grant?.clientId !== user.clientId || grant.userId !== user.userId) return;
  await testUsers.renewTokens(user, {
    accessToken,
    refreshToken,
    expiresAt: now() + ACCESS_TOKEN_SECONDS * 1000,
    key: grant.jkt === undefined ? undefined : key,
  });
}
