/** Requests about who a user is, and cookies that say it, as nobody should send them. */
import fc from 'fast-check';

import {
  fields,
  headers,
  inHeader,
  oddText,
  percentEncoded,
  post,
  query,
  type Target,
} from './fuzz-requests.ts';
import type { RawRequest } from './raw-http.ts';

const URI_PREFIX = 'urn:ietf:params:oauth:request_uri:';

const basicOf = ({ clientId, clientSecret }: Target): string =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;

/** POST /par with any body, in any content type; what it pushes is of a user of its own. */
export function pushRequest(existing: Target): fc.Arbitrary<RawRequest> {
  const form = fields({
    client_id: [existing.clientId],
    client_secret: [existing.clientSecret],
    user_id: ['pushed', 'x'.repeat(512)],
    user_name: ['Ada King', 'Ada', '', 'é', '\u202eAda', 'x'.repeat(201)],
    login_hint: ['ada@people.example', 'x'.repeat(320), '', 'x'.repeat(321)],
    scope: ['read', 'free-busy', 'read-write'],
    state: ['xyz'],
    redirect_uri: [existing.redirectUri, 'https://evil.example/'],
    providers: ['google,caldav', 'caldav'],
    display: ['popup', 'page'],
    code_challenge: ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
    code_challenge_method: ['S256'],
  });
  return post(fc.constantFrom('/par', '/api/oauth/par'), form, headers(existing));
}

/** GET /authorize for something pushed: there, spent, made up, or no reference at all. */
export function pushedStartRequest(existing: Target): fc.Arbitrary<RawRequest> {
  const { requestUri, clientId } = existing;
  const parameters = fields({
    client_id: [clientId],
    request_uri: [
      requestUri,
      `${requestUri}x`,
      requestUri.toUpperCase(),
      URI_PREFIX,
      `${URI_PREFIX}${'a'.repeat(43)}`,
    ],
    user_id: ['pushed', 'ada'],
    scope: ['read-write', 'nothing'],
  });
  const path = fc.constantFrom('/authorize', '/api/oauth/authorize');
  return fc
    .record({ path, text: query(parameters), sent: headers(existing) })
    .map(({ path: at, text, sent }) => ({
      method: 'GET',
      target: `${at}?${text}`,
      headers: sent,
      body: undefined,
    }));
}

/** GET and DELETE /users/{user_id} of users that are not there, mostly with the right secret. */
export function usersRequest(existing: Target): fc.Arbitrary<RawRequest> {
  const id = fc.oneof(
    fc.constantFrom(
      'nobody',
      '',
      '%',
      '%zz',
      '%00',
      '%c0%af',
      '%ed%a0%80',
      '..',
      '%2e%2e',
      'a%2Fb',
      'a/b',
      '%20',
    ),
    oddText.map(percentEncoded),
  );
  const mount = fc.constantFrom('/users/', '/api/users/', '/users', '/users//');
  const method = fc.constantFrom('GET', 'DELETE', 'HEAD', 'POST', 'PUT');
  const right = fc.constant<[string, string][]>([['Authorization', basicOf(existing)]]);
  const sent = fc.oneof({ weight: 3, arbitrary: right }, { weight: 1, arbitrary: headers(existing) });
  return fc.record({ method, mount, id, sent }).map(({ method: verb, mount: at, id: user, sent: list }) => ({
    method: verb,
    target: at + user,
    headers: list,
    body: undefined,
  }));
}

/** Pages of a transaction that exists, in browsers whose cookies are whole, cut, doubled, planted or anything. */
export function cookieRequest(existing: Target): fc.Arbitrary<RawRequest> {
  const own = existing.cookie.split('; ');
  const secret = fc.stringMatching(/^[\w-]{43}$/);
  const seconds = fc.stringMatching(/^[\da-z]{0,9}$/);
  const planted = fc
    .record({ secret, seconds })
    .chain(({ secret: drawn, seconds: at }) =>
      fc.constantFrom(
        `kalends_device=${drawn}`,
        `kalends_tx_${existing.transaction}=${at}.${drawn}`,
        `kalends_tx_${drawn.slice(0, 22)}=${at}.${drawn}`,
        `__Host-kalends_tx_${existing.transaction}=${at}.${drawn}`,
        `oauth_req=${encodeURIComponent(JSON.stringify({ client_id: drawn, user_id: at, transaction: drawn }))}`,
      ),
    );
  const cut = fc
    .record({ pair: fc.constantFrom(...own), length: fc.nat(80) })
    .map(({ pair, length }) => pair.slice(0, length));
  const odd = oddText.map((text) => inHeader(text));
  const cookie = fc
    .array(fc.oneof(fc.constantFrom(...own), planted, cut, odd), { maxLength: 12 })
    .map((pairs) => pairs.join('; '));
  const path = fc.constantFrom(
    `/authorize?transaction=${existing.transaction}`,
    `/authorize?client_id=${existing.clientId}&user_id=ada`,
    `/connect/consent?transaction=${existing.transaction}`,
    `/connect/waiting?transaction=${existing.transaction}`,
    `/connect/progress?transaction=${existing.transaction}`,
  );
  return fc.record({ path, cookie }).map(({ path: target, cookie: sent }) => ({
    method: 'GET',
    target,
    headers: [['Cookie', sent]],
    body: undefined,
  }));
}
