/** The places in which a valid request is changed before it goes to both peers. */
import { exportJWK, type JWK } from 'jose';
import type { DpopKey, ProofOf } from '../harness/dpop-key.ts';
import { ASSERTION_TYPE, type SigningKey } from './assertions.ts';
import { REDIRECT_URI } from './oauth-server.ts';
import type { Peer } from './peer-servers.ts';

export type Endpoint = 'par' | 'code' | 'refresh' | 'introspect' | 'revoke' | 'resource';

type Members = Readonly<Record<string, unknown>>;

/** The difference from a valid request. `undefined` removes a member. */
export type Change = {
  readonly method?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Added to the path. */
  readonly query?: string;
  readonly form?: Readonly<Record<string, string | undefined>>;
  /** The name of a parameter that is sent twice. */
  readonly repeated?: string;
  /** Claims and header of the assertion, and who signs it. */
  readonly claims?: Members;
  readonly header?: Members;
  readonly signer?: SigningKey;
  readonly assertion?: (valid: string) => string;
  readonly proof?: Partial<ProofOf>;
  readonly prover?: DpopKey;
  readonly dpop?: (valid: string) => string | undefined;
  /** A part of the request that was sent before, in a valid request. */
  readonly used?: 'assertion' | 'proof' | 'form';
  /** The time that passes first, in seconds. */
  readonly wait?: number;
};

/** The values and actions that a change can use. */
export type Context = {
  readonly peer: Peer;
  readonly endpoint: Endpoint;
  /** The URL of the request, without query. */
  readonly url: string;
  /** Epoch seconds. */
  readonly now: number;
  readonly keys: {
    readonly bank: SigningKey;
    readonly bankRsa: SigningKey;
    readonly other: SigningKey;
    readonly unregistered: SigningKey;
  };
  readonly provers: { readonly bank: DpopKey; readonly other: DpopKey };
  /** Returns a whole number below `most`, the same in each run. */
  readonly draw: (most: number) => number;
  readonly approve: (clientId?: 'bank' | 'other', dpopJkt?: string) => Promise<string>;
  readonly tokens: (clientId?: 'bank' | 'other') => Promise<{ access: string; refresh: string }>;
  readonly revoke: (token: string) => Promise<void>;
};

type Mutation = (context: Context) => Change | Promise<Change>;
export type Mutations = Readonly<Record<string, Mutation>>;

const form =
  (name: string, value?: string): Mutation =>
  () => ({ form: { [name]: value } });
const repeated =
  (name: string): Mutation =>
  () => ({ repeated: name });
const claim =
  (name: string, value?: (context: Context) => unknown): Mutation =>
  (context) => ({
    claims: { [name]: value?.(context) },
  });
const proof =
  (name: string, value?: (context: Context) => unknown): Mutation =>
  (context) => ({
    proof: { claims: { [name]: value?.(context) } },
  });

const changedCharacter =
  ({ draw }: Context) =>
  (text: string) => {
    // The last character of a part can have unused bits.
    const at =
      [...text].flatMap((one, i) => (one === '.' || i > text.length - 3 ? [] : [i]))[draw(text.length - 8)] ??
      0;
    return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
  };

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
/** Replaces parameters of the header of a JWT and keeps its signature. */
const reheaded = (changed: Members) => (text: string) => {
  const [header = '', ...rest] = text.split('.');
  return [encoded({ ...JSON.parse(Buffer.from(header, 'base64url').toString()), ...changed }), ...rest].join(
    '.',
  );
};
const unsigned = (text: string) => `${reheaded({ alg: 'none' })(text).split('.').slice(0, 2).join('.')}.`;

const ASSERTIONS: Mutations = {
  'no client authentication': () => ({
    form: { client_assertion: undefined, client_assertion_type: undefined },
  }),
  'client_assertion missing': form('client_assertion'),
  'client_assertion_type missing': form('client_assertion_type'),
  'client_assertion_type of SAML': form('client_assertion_type', ASSERTION_TYPE.replace('jwt', 'saml2')),
  'client_assertion twice': repeated('client_assertion'),
  'client_assertion_type twice': repeated('client_assertion_type'),
  'client_assertion that is no JWT': form('client_assertion', 'assertion'),
  'client_assertion with a changed character': (context) => ({ assertion: changedCharacter(context) }),
  'client_assertion used before': () => ({ used: 'assertion' }),
  'client_secret beside the assertion': form('client_secret', 'a1B2c3D4e5F6'),
  'HTTP Basic beside the assertion': () => ({
    headers: { authorization: `Basic ${btoa('bank:a1B2c3D4e5F6')}` },
  }),
  'HTTP Basic instead of the assertion': () => ({
    form: { client_assertion: undefined, client_assertion_type: undefined },
    headers: { authorization: `Basic ${btoa('bank:a1B2c3D4e5F6')}` },
  }),
  'client_id missing': form('client_id'),
  'client_id of another application': form('client_id', 'other'),
  'client_id twice': repeated('client_id'),
  'assertion without iss': claim('iss'),
  'assertion with iss of another application': claim('iss', () => 'other'),
  'assertion without sub': claim('sub'),
  'assertion with sub of another application': claim('sub', () => 'other'),
  'assertion of an unknown application': () => ({
    claims: { iss: 'nobody', sub: 'nobody' },
    form: { client_id: 'nobody' },
  }),
  'assertion without aud': claim('aud'),
  'assertion with aud as a list': claim('aud', ({ peer }) => [peer.issuer]),
  'assertion with aud of two servers': claim('aud', ({ peer }) => [peer.issuer, 'https://other.example']),
  'assertion with aud of the endpoint': claim('aud', ({ url }) => url),
  'assertion with aud of the token endpoint': claim('aud', ({ peer }) => `${peer.issuer}/token`),
  'assertion with aud of another server': claim('aud', () => 'https://other.example'),
  'assertion without exp': claim('exp'),
  'assertion with exp as text': claim('exp', ({ now }) => String(now + 60)),
  'assertion that expired a minute ago': claim('exp', ({ now }) => now - 60),
  'assertion that expires in 5 minutes': claim('exp', ({ now }) => now + 300),
  'assertion that expires in an hour': claim('exp', ({ now }) => now + 3_600),
  'assertion with nbf 8 seconds ahead': claim('nbf', ({ now }) => now + 8),
  'assertion with nbf 62 seconds ahead': claim('nbf', ({ now }) => now + 62),
  'assertion with nbf as text': claim('nbf', ({ now }) => String(now)),
  'assertion without iat': claim('iat'),
  'assertion with iat 8 seconds ahead': claim('iat', ({ now }) => now + 8),
  'assertion with iat an hour ahead': claim('iat', ({ now }) => now + 3_600),
  'assertion with iat an hour ago': claim('iat', ({ now }) => now - 3_600),
  'assertion without jti': claim('jti'),
  'assertion with jti as a number': claim('jti', ({ now }) => now),
  'assertion with an unknown claim': claim('unknown', () => true),
  'assertion with alg none': () => ({ assertion: unsigned }),
  'assertion with RS256': ({ keys }) => ({ signer: { ...keys.bankRsa, alg: 'RS256' } }),
  'assertion with PS256': ({ keys }) => ({ signer: keys.bankRsa }),
  'assertion without kid': () => ({ header: { kid: undefined } }),
  'assertion with an unknown kid': () => ({ header: { kid: 'unknown' } }),
  'assertion with typ client-authentication+jwt': () => ({ header: { typ: 'client-authentication+jwt' } }),
  'assertion with an unknown crit': () => ({ header: { crit: ['unknown'], unknown: 1 } }),
  'assertion signed by another application': ({ keys }) => ({ signer: keys.other }),
  'assertion signed by an unregistered key': ({ keys }) => ({ signer: keys.unregistered }),
  'assertion with its own jwk': ({ keys }) => ({
    signer: keys.unregistered,
    header: { jwk: keys.unregistered.publicJwk },
  }),
};

const PROOFS: Mutations = {
  'no proof': () => ({ dpop: () => undefined }),
  'two proofs': () => ({ dpop: (valid) => `${valid}, ${valid}` }),
  'proof that is no JWT': () => ({ dpop: () => 'proof' }),
  'proof with a changed character': (context) => ({ dpop: changedCharacter(context) }),
  'proof used before': () => ({ used: 'proof' }),
  'proof without typ': () => ({ proof: { header: { typ: undefined } } }),
  'proof with typ JWT': () => ({ proof: { header: { typ: 'JWT' } } }),
  'proof with alg none': () => ({ dpop: unsigned }),
  'proof with alg RS256': () => ({ dpop: reheaded({ alg: 'RS256' }) }),
  'proof without jwk': () => ({ proof: { header: { jwk: undefined } } }),
  'proof with a private jwk': async ({ provers }) => ({
    proof: { header: { jwk: await exportJWK(provers.bank.privateKey) } },
  }),
  'proof with jwk of another key': ({ provers }) => ({
    proof: { header: { jwk: provers.other.jwk satisfies JWK } },
  }),
  'proof with an unknown header parameter': () => ({ proof: { header: { unknown: 1 } } }),
  'proof with an unknown crit': () => ({ proof: { header: { crit: ['unknown'], unknown: true } } }),
  'proof without jti': proof('jti'),
  'proof with an empty jti': proof('jti', () => ''),
  'proof with jti of 129 characters': proof('jti', () => 'j'.repeat(129)),
  'proof without htm': proof('htm'),
  'proof with another htm': proof('htm', () => 'PUT'),
  'proof with htm in lower case': ({ endpoint }) => ({
    proof: { method: endpoint === 'resource' ? 'get' : 'post' },
  }),
  'proof without htu': proof('htu'),
  'proof with htu of another host': ({ url }) => ({
    proof: { url: url.replace(/\/\/[^/]+/, '//other.example') },
  }),
  'proof with htu of another path': ({ url }) => ({ proof: { url: `${url}/other` } }),
  'proof with htu and a slash at its end': ({ url }) => ({ proof: { url: `${url}/` } }),
  'proof with htu as a path': ({ url }) => ({ proof: { url: new URL(url).pathname } }),
  'proof with htu and a query': ({ url }) => ({ proof: { url: `${url}?a=b` } }),
  'proof with htu and a fragment': ({ url }) => ({ proof: { url: `${url}#a` } }),
  'proof with htu and its scheme in upper case': ({ url }) => ({
    proof: { url: url.replace('http', 'HTTP') },
  }),
  'proof without iat': proof('iat'),
  'proof with iat as text': proof('iat', ({ now }) => String(now)),
  'proof with iat 10 seconds ahead': proof('iat', ({ now }) => now + 10),
  'proof with iat an hour ahead': proof('iat', ({ now }) => now + 3_600),
  'proof with iat 10 seconds ago': proof('iat', ({ now }) => now - 10),
  'proof with iat two minutes ago': proof('iat', ({ now }) => now - 120),
  'proof with iat an hour ago': proof('iat', ({ now }) => now - 3_600),
  'proof with nbf now and exp in 5 minutes': ({ now }) => ({
    proof: { claims: { nbf: now, exp: now + 300 } },
  }),
  'proof with nbf an hour ahead': proof('nbf', ({ now }) => now + 3_600),
  'proof that expired a minute ago': proof('exp', ({ now }) => now - 60),
  'proof with an unknown nonce': proof('nonce', () => 'unknown'),
  'proof with an unknown claim': proof('unknown', () => true),
};

const PAR: Mutations = {
  valid: () => ({}),
  'redirect_uri missing': form('redirect_uri'),
  'redirect_uri empty': form('redirect_uri', ''),
  'redirect_uri unregistered': form('redirect_uri', 'https://evil.example/callback'),
  'redirect_uri with a slash at its end': form('redirect_uri', `${REDIRECT_URI}/`),
  'redirect_uri with a query': form('redirect_uri', `${REDIRECT_URI}?a=b`),
  'redirect_uri with its host in upper case': form('redirect_uri', REDIRECT_URI.replace('app', 'APP')),
  'redirect_uri twice': repeated('redirect_uri'),
  'response_type missing': form('response_type'),
  'response_type token': form('response_type', 'token'),
  'response_type code id_token': form('response_type', 'code id_token'),
  'response_type twice': repeated('response_type'),
  'no code_challenge and no method': () => ({
    form: { code_challenge: undefined, code_challenge_method: undefined },
  }),
  'code_challenge missing': form('code_challenge'),
  'code_challenge of 42 characters': form('code_challenge', 'c'.repeat(42)),
  'code_challenge of 44 characters': form('code_challenge', 'c'.repeat(44)),
  'code_challenge with a space': form('code_challenge', `${'c'.repeat(42)} `),
  'code_challenge twice': repeated('code_challenge'),
  'code_challenge_method missing': form('code_challenge_method'),
  'code_challenge_method plain': form('code_challenge_method', 'plain'),
  'code_challenge_method in lower case': form('code_challenge_method', 's256'),
  'scope unknown': form('scope', 'everything'),
  'scope missing': form('scope'),
  'scope twice': repeated('scope'),
  'state missing': form('state'),
  'state of 1,000 characters': form('state', 's'.repeat(1_000)),
  'state twice': repeated('state'),
  'request_uri pushed': form('request_uri', 'urn:ietf:params:oauth:request_uri:x'),
  'dpop_jkt of the proof': ({ provers }) => ({ form: { dpop_jkt: provers.bank.jkt } }),
  'dpop_jkt of another key': ({ provers }) => ({ form: { dpop_jkt: provers.other.jkt } }),
  'dpop_jkt without a proof': ({ provers }) => ({
    form: { dpop_jkt: provers.bank.jkt },
    dpop: () => undefined,
  }),
  'dpop_jkt that is no thumbprint': () => ({ form: { dpop_jkt: 'thumbprint' }, dpop: () => undefined }),
  'an unknown parameter': form('unknown', 'value'),
  'an unknown parameter twice': () => ({ form: { unknown: 'value' }, repeated: 'unknown' }),
  'user_id missing': form('user_id'),
  'PUT at /par': () => ({ method: 'PUT' }),
  'text as the body': () => ({ contentType: 'text/plain' }),
};

const TOKEN: Mutations = {
  'grant_type missing': form('grant_type'),
  'grant_type unknown': form('grant_type', 'urn:example:unknown'),
  'grant_type password': form('grant_type', 'password'),
  'grant_type twice': repeated('grant_type'),
  'an unknown parameter at /token': form('unknown', 'value'),
};

const CODE: Mutations = {
  'code valid': () => ({}),
  'code missing': form('code'),
  'code unknown': form('code', 'unknown'),
  'code with a changed character': ({ approve }) =>
    approve().then((code) => ({ form: { code: `x${code.slice(1)}` } })),
  'code of another application': async ({ approve }) => ({ form: { code: await approve('other') } }),
  'code used before': () => ({ used: 'form' }),
  'code after 62 seconds': () => ({ wait: 62 }),
  'code twice': repeated('code'),
  'code bound to the key of the proof': async ({ approve, provers }) => ({
    form: { code: await approve('bank', provers.bank.jkt) },
  }),
  'code bound to another key': async ({ approve, provers }) => ({
    form: { code: await approve('bank', provers.other.jkt) },
  }),
  'redirect_uri missing at /token': form('redirect_uri'),
  'redirect_uri of another request at /token': form('redirect_uri', `${REDIRECT_URI}?a=b`),
  'redirect_uri twice at /token': repeated('redirect_uri'),
  'code_verifier missing': form('code_verifier'),
  'code_verifier wrong': form('code_verifier', 'w'.repeat(43)),
  'code_verifier of 42 characters': form('code_verifier', 'v'.repeat(42)),
  'code_verifier of 129 characters': form('code_verifier', 'v'.repeat(129)),
  'code_verifier twice': repeated('code_verifier'),
};

const REFRESH: Mutations = {
  'refresh_token valid': () => ({}),
  'refresh_token missing': form('refresh_token'),
  'refresh_token unknown': form('refresh_token', 'unknown'),
  'refresh_token of another application': async ({ tokens }) => ({
    form: { refresh_token: (await tokens('other')).refresh },
  }),
  'access token as refresh_token': async ({ tokens }) => ({
    form: { refresh_token: (await tokens()).access },
  }),
  'refresh_token revoked': async ({ tokens, revoke }) => {
    const { refresh } = await tokens();
    await revoke(refresh);
    return { form: { refresh_token: refresh } };
  },
  'refresh_token used before': () => ({ used: 'form' }),
  'refresh_token twice': repeated('refresh_token'),
  'refresh with a proof of another key': ({ provers }) => ({ prover: provers.other }),
  'refresh with its scope': ({ peer }) => ({ form: { scope: peer.scope } }),
  'refresh with a scope that was not granted': form('scope', 'read-write'),
};

const tokenOf =
  (clientId: 'bank' | 'other', kind: 'access' | 'refresh'): Mutation =>
  async ({ tokens }) => ({
    form: { token: (await tokens(clientId))[kind] },
  });

/** At `/introspect` and `/revoke`. */
const TOKENS: Mutations = {
  'token valid': () => ({}),
  'token missing': form('token'),
  'token unknown': form('token', 'unknown'),
  'token twice': repeated('token'),
  'token is a refresh token': tokenOf('bank', 'refresh'),
  'token of another application': tokenOf('other', 'access'),
  'token is a refresh token of another application': tokenOf('other', 'refresh'),
  'token revoked before': async ({ tokens, revoke }) => {
    const { access } = await tokens();
    await revoke(access);
    return { form: { token: access } };
  },
  'token after two hours': () => ({ wait: 7_200 }),
  'token_type_hint of another type': form('token_type_hint', 'refresh_token'),
  'token_type_hint unknown': form('token_type_hint', 'saml'),
  'a proof beside the token': ({ provers }) => ({ prover: provers.bank }),
};

const authorization =
  (scheme: string, token?: (context: Context) => Promise<string>): Mutation =>
  async (context) => {
    const text = (await token?.(context)) ?? (await context.tokens()).access;
    return { headers: { authorization: `${scheme} ${text}` }, proof: { accessToken: text } };
  };

const RESOURCE: Mutations = {
  'resource valid': () => ({}),
  'no access token': () => ({ headers: { authorization: undefined } }),
  'no access token and no proof': () => ({ headers: { authorization: undefined }, dpop: () => undefined }),
  'access token unknown': authorization('DPoP', async () => 'unknown'),
  'refresh token as access token': authorization('DPoP', async ({ tokens }) => (await tokens()).refresh),
  'access token revoked': authorization('DPoP', async ({ tokens, revoke }) => {
    const { access } = await tokens();
    await revoke(access);
    return access;
  }),
  'access token after two hours': () => ({ wait: 7_200 }),
  'access token with Bearer and a proof': authorization('Bearer'),
  'access token with Bearer and no proof': async (context) => ({
    ...(await authorization('Bearer')(context)),
    dpop: () => undefined,
  }),
  'access token with the scheme in upper case': authorization('DPOP'),
  'access token in the query': async ({ tokens }) => ({
    headers: { authorization: undefined },
    query: `?access_token=${(await tokens()).access}`,
  }),
  'proof of another key': ({ provers }) => ({ prover: provers.other }),
  'proof without ath': proof('ath'),
  'proof with ath of another token': () => ({ proof: { accessToken: 'another' } }),
};

/** The mutations of each endpoint. Assertions and proofs are sent to several endpoints. */
export const MUTATIONS: Readonly<Record<Endpoint, Mutations>> = {
  par: { ...PAR, ...ASSERTIONS, ...PROOFS },
  code: { ...CODE, ...TOKEN, ...ASSERTIONS, ...PROOFS },
  refresh: { ...REFRESH, ...TOKEN, ...ASSERTIONS, ...PROOFS },
  introspect: { ...TOKENS, ...ASSERTIONS },
  revoke: { ...TOKENS, ...ASSERTIONS },
  resource: { ...RESOURCE, ...PROOFS },
};
