/** Valid assertions, each changed in one place: exactly those whose change the rules allow are accepted. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  assertionOf,
  claimsAt,
  newKey,
  postAssertion,
  type SigningKey,
  setOf,
  signedWith,
  useKeys,
} from './assertions.ts';
import { ISSUER, openOAuthServer } from './oauth-server.ts';

const COUNT = 2_000;

/** Returns numbers below `most`, the same in each run. */
function numbers(seed: number) {
  let state = seed;
  return (most: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

type Mutated = { readonly assertion: string; readonly isAllowed: boolean; readonly change: string };
type Draw = ReturnType<typeof numbers>;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const bytes = (part = '') => Buffer.from(part, 'base64url').toString('hex');

/** Changes, removes or adds one character. Only unused bits at the end of the signature change nothing. */
function inText(valid: string, draw: Draw): Mutated {
  const at = draw(valid.length);
  const other = ALPHABET[(ALPHABET.indexOf(valid[at] ?? '') + 1 + draw(63)) % 64] ?? 'A';
  const [kind, to] =
    [
      ['changed', other],
      ['removed', ''],
      ['added', (valid[at] ?? '') + other],
    ][draw(3)] ?? [];
  const assertion = valid.slice(0, at) + to + valid.slice(at + 1);
  const [header, payload, signature] = valid.split('.');
  const parts = assertion.split('.');
  const isSame = parts.length === 3 && parts[0] === header && parts[1] === payload;
  return { assertion, isAllowed: isSame && bytes(parts[2]) === bytes(signature), change: `${kind} at ${at}` };
}

/** Changes one claim and signs again. */
function inClaims(key: SigningKey, now: number, draw: Draw): Mutated {
  const seconds = Math.floor(now / 1000);
  const time = [draw(1_400) - 700, draw(70) - 35, String(seconds), null, undefined, 1e300][draw(6)];
  const at = typeof time === 'number' && time < 1e6 ? seconds + time : time;
  const changes: readonly [string, unknown, boolean][] = [
    ['exp', at, typeof at === 'number' && at > seconds && at <= seconds + 600],
    ['nbf', at, at === undefined || (typeof at === 'number' && at <= seconds + 30)],
    ['iat', at, at === undefined || (typeof at === 'number' && at <= seconds + 30)],
    ['aud', [ISSUER, [ISSUER], `${ISSUER}/token`, ISSUER.toUpperCase(), undefined, 7][draw(6)], false],
    ['iss', ['acme', 'other', undefined, ['acme'], ISSUER][draw(5)], false],
    ['sub', ['acme', 'other', undefined, 'ACME', 0][draw(5)], false],
    ['jti', [`own-${draw(1e9)}`, '', undefined, 5, {}][draw(5)], false],
    ['scope', 'read-write', true],
    ['cnf', { jkt: 'x' }, true],
  ];
  const [name, value, isAllowed] = changes[draw(changes.length)] ?? ['exp', undefined, false];
  const claims = claimsAt(now);
  const isRight =
    (name === 'aud' && value === ISSUER) ||
    ((name === 'iss' || name === 'sub') && value === 'acme') ||
    (name === 'jti' && typeof value === 'string' && value !== '');
  const assertion = signedWith(key, { alg: key.alg, kid: key.kid }, { ...claims, [name]: value });
  return { assertion, isAllowed: isAllowed || isRight, change: `${name} ${JSON.stringify(value)}` };
}

/** Changes one parameter of the header and signs again. */
function inHeader(key: SigningKey, now: number, draw: Draw): Mutated {
  const changes: readonly [object, boolean][] = [
    [{ kid: undefined }, true],
    [{ kid: 'unknown' }, false],
    [{ typ: 'client-authentication+jwt' }, true],
    [{ alg: ['none', 'HS256', 'RS256', 'ES384', 'es256', undefined][draw(6)] }, false],
    [{ jwk: newKey().publicJwk }, true],
    [{ jku: 'https://evil.example/jwks' }, true],
    [{ crit: ['exp'], exp: 1 }, false],
    [{ crit: ['b64'], b64: false }, false],
    [{ crit: [] }, false],
    [{ b64: true, crit: ['b64'] }, true],
  ];
  const [header, isAllowed] = changes[draw(changes.length)] ?? [{}, true];
  const assertion = signedWith(key, { alg: key.alg, kid: key.kid, ...header }, claimsAt(now));
  return { assertion, isAllowed, change: JSON.stringify(header) };
}

it(`of ${COUNT} assertions that were changed in one place, exactly the allowed ones authenticate`, async () => {
  const server = await openOAuthServer();
  const keys = [newKey('ES256'), newKey('Ed25519'), newKey('PS256')];
  await useKeys(server, { jwks: JSON.stringify(setOf(...keys)) });
  const draw = numbers(36);
  const wrong: string[] = [];
  let accepted = 0;

  for (let i = 0; i < COUNT; i += 1) {
    const key = keys[draw(keys.length)] ?? newKey();
    const now = server.clock.now;
    const kind = draw(3);
    const mutated =
      kind === 0 ? inText(assertionOf(key, now), draw) : (kind === 1 ? inClaims : inHeader)(key, now, draw);
    const { statusCode } = await postAssertion(server.app, mutated.assertion);
    if (statusCode === 200) accepted += 1;
    const isRefused = statusCode === 400 || statusCode === 429;
    if (mutated.isAllowed ? statusCode !== 200 : !isRefused) wrong.push(`${statusCode} ${mutated.change}`);
  }

  await server.close();
  assert.deepEqual(wrong, []);
  assert.ok(accepted > 200 && accepted < COUNT - 200, `${accepted} accepted`);
});
