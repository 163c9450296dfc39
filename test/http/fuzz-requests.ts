/** Random requests to the OAuth endpoints, many of them nearly right. */
import fc from 'fast-check';

import type { RawRequest } from './raw-http.ts';

/** Existing values that make a request nearly right: an application, its secret, tokens and a page. */
export type Target = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly tokens: readonly string[];
  readonly transaction: string;
  /** Keys of accounts that the page may name, its user's own and another user's. */
  readonly accountKeys: readonly string[];
  /** The cookies of that page's browser, as it sends them: `oauth_req`, the secret of the transaction, its own. */
  readonly cookie: string;
  /** The request URI of a pushed request that has not been used. */
  readonly requestUri: string;
};

const ODD = [
  ...['', ' ', '\0', '\0\0', 'a\0b', '\ud800', '\udfff', 'a\ud83d', '\ufffd', '\u202e', '😀', 'é', '\u2028'],
  ...['null', 'undefined', 'true', '[]', '{}', '__proto__', 'constructor', 'toString', 'hasOwnProperty'],
  ...['0', '-1', '1e309', '99999999999999999999', '9007199254740993', 'NaN', '0x7f', '-0'],
  ...[
    "' OR 1=1 --",
    '"; DROP TABLE x',
    '%',
    '%%',
    '%00',
    '%zz',
    '%c3%28',
    '%ed%a0%80',
    '+',
    '../..',
    '<script>',
  ],
  ...[
    ['$', '{jndi:x}'].join(''),
    'a'.repeat(513),
    'b'.repeat(2049),
    'c'.repeat(9000),
    '\r\n',
    '\t',
    '\\',
    ';',
    ',',
    '=',
    '&',
  ],
];

export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map(utf16) },
);

/** Returns text that may have lone surrogates, which fast-check's own strings leave out. */
function utf16(units: number[]): string {
  return String.fromCharCode(...units);
}

/** Encodes text as UTF-8 bytes, also of lone surrogates, percent-encoded or not. */
export function percentEncoded(text: string): string {
  return [...text]
    .map((character) => {
      if (/[A-Za-z0-9._~-]/.test(character)) return character;
      const bytes = /\p{Surrogate}/u.test(character) ? surrogateBytes(character) : Buffer.from(character);
      return [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    })
    .join('');
}

function surrogateBytes(character: string): Buffer {
  const code = character.charCodeAt(0);
  return Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]);
}

/** Removes characters that no request line or header can contain, because the parser itself refuses them. */
const onLine = (text: string): string => text.replace(/[^\x21-\x7e\x80-\xff]/g, '');
export const inHeader = (text: string): string => text.replace(/[^\x20-\x7e\x80-\xff]/g, '');

type Fields = readonly (readonly [string, string])[];

type Right = Readonly<Record<string, readonly string[]>>;

const nameAndOdd = (names: readonly string[]) =>
  fc
    .tuple(fc.oneof(fc.constantFrom(...names), oddText), oddText)
    .map(([name, text]) => [name, text] as const);

/** Returns right fields, except for up to two that are odd or repeated; any field may be missing. */
function nearlyRight(right: Right): fc.Arbitrary<Fields> {
  const names = Object.keys(right);
  const values = Object.entries(right).map(([name, choices]) =>
    fc.constantFrom(...choices).map((value) => [name, value] as const),
  );
  const odd = fc.array(nameAndOdd(names), { maxLength: 2 });
  const missing = fc.oneof({ weight: 4, arbitrary: fc.constant('') }, fc.constantFrom(...names));
  return fc.record({ list: fc.tuple(...values), odd, missing, twice: fc.boolean() }).map((drawn) => {
    const list = drawn.list.filter(
      ([name]) => name !== drawn.missing && (drawn.twice || !drawn.odd.some(([odd]) => odd === name)),
    );
    return [...list, ...drawn.odd];
  });
}

/**
 * Returns nearly right fields three times of four, so that more than the first check is reached; otherwise anything.
 */
export function fields(right: Right): fc.Arbitrary<Fields> {
  const anything = fc.array(nameAndOdd(Object.keys(right)), { maxLength: 8 });
  return fc.oneof({ weight: 3, arbitrary: nearlyRight(right) }, { weight: 1, arbitrary: anything });
}

const percentEncodedFields = (all: Fields): string =>
  all.map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`).join('&');
const encodings = fc.constantFrom<(fields: Fields) => string>(
  ...Array(4).fill(percentEncodedFields),
  (all) => all.map(([name, value]) => `${onLine(name)}=${onLine(value)}`).join('&'),
  (all) => all.map(([name, value]) => `${percentEncoded(name)}[]=${percentEncoded(value)}`).join('&'),
  (all) => all.map(([name]) => percentEncoded(name)).join('&'),
);

export const query = (all: fc.Arbitrary<Fields>): fc.Arbitrary<string> =>
  fc.tuple(all, encodings).map(([list, encode]) => encode(list));

/** Returns headers that parsers may fail on, besides none and right ones. */
export function headers(existing: Target): fc.Arbitrary<[string, string][]> {
  const basic = `Basic ${Buffer.from(`${existing.clientId}:${existing.clientSecret}`).toString('base64')}`;
  const value = (...right: string[]) =>
    fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...right) }, oddText.map(inHeader));
  const encoded = oddText.map((text) => Buffer.from(text).toString('base64'));
  const each: Record<string, fc.Arbitrary<string>> = {
    Authorization: fc.oneof(
      value(basic, 'Basic', 'Basic =', 'Bearer', 'Bearer x', 'bearer  y z', 'Digest x'),
      encoded.map((text) => `Basic ${text}`),
      fc.constantFrom(...existing.tokens).map((token) => `Bearer ${token}`),
    ),
    Cookie: value(
      existing.cookie,
      'oauth_req=%7B%7D',
      'oauth_req=%',
      'oauth_req=%7B%22client_id%22%3A1%7D',
      'oauth_req=null',
      'oauth_req=[]; oauth_req=1',
      'kalends_device=x',
      `kalends_device=${'x'.repeat(43)}`,
      `kalends_tx_${existing.transaction}=${'x'.repeat(43)}`,
      `kalends_tx_${existing.transaction}=zzzzzzzz.${'x'.repeat(43)}; kalends_tx_=1.2; kalends_tx_%=a`,
      `kalends_tx___proto__=1.${'x'.repeat(43)}; __proto__=1; kalends_theme=__proto__`,
      Array.from({ length: 60 }, (_, i) => `kalends_tx_${'a'.repeat(20)}${i + 10}=1.${'x'.repeat(43)}`).join(
        '; ',
      ),
      '=;=',
      `a=${'x'.repeat(5000)}`,
    ),
    Accept: value(
      'text/html',
      'application/json',
      '*/*',
      'text/*;q=0',
      'application/json;q=x',
      ','.repeat(300),
    ),
    'Accept-Language': value('fr', 'xx;q=9', '*', '-', 'a-'.repeat(500), 'he;q=0, ar;q=0.5'),
    CLIENT_ID: value(existing.clientId),
    'X-Forwarded-For': value('1.2.3.4', '::', 'x, y'),
    Origin: value('null', 'https://evil.example', 'http://127.0.0.1'),
    'Sec-Fetch-Site': value('cross-site', 'same-origin'),
  };
  const optional = Object.entries(each).map(([name, arbitrary]) => {
    const sent = arbitrary.map((text) => [[name, text]]);
    return fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: sent });
  });
  return fc.tuple(...optional).map((lists) => lists.flat() as [string, string][]); // pairs were made above
}

const PAGES = [
  ...['/authorize', '/connect/consent', '/connect/caldav', '/connect/apple', '/connect/google'],
  ...['/connect/waiting', '/connect/disconnect', '/connect/disconnect-all', '/connect/calendars'],
  '/connect/progress',
];

/** Returns requests to GET /authorize: the query of docs/wire.md O4.1, and pages of an existing transaction. */
export function authorizeRequest(existing: Target): fc.Arbitrary<RawRequest> {
  const parameters = fields({
    client_id: [existing.clientId],
    user_id: ['ada', 'x'.repeat(512)],
    scope: ['read', 'free-busy', 'read-write', 'calendar', 'read read-write'],
    state: ['xyz'],
    lng: ['fr', 'ar', 'he', 'zz', 'pt_BR'],
    response_type: ['code'],
    redirect_uri: [existing.redirectUri, 'https://evil.example/'],
    theme: ['dark', 'light'],
    providers: ['google,caldav', 'caldav'],
    code_challenge: ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
    code_challenge_method: ['S256'],
  });
  const start = fc.record({
    path: fc.constantFrom('/authorize', '/api/oauth/authorize'),
    text: query(parameters),
    cookie: fc.constant(undefined),
  });
  const page = fc.record({
    path: fc.constantFrom(...PAGES),
    text: query(
      fields({
        transaction: [existing.transaction],
        happened: ['caldav', 'disconnected', 'caldav_not_this', 'x'],
        account: existing.accountKeys,
        confirm: existing.accountKeys,
        by: ['server', 'email'],
      }),
    ),
    cookie: fc.option(fc.constant(existing.cookie), { freq: 4, nil: undefined }),
  });
  return fc.record({ at: fc.oneof(start, page), sent: headers(existing) }).map(({ at, sent }) => ({
    method: 'GET',
    target: `${at.path}?${at.text}`,
    headers: at.cookie === undefined ? sent : [...sent, ['Cookie', at.cookie]],
    body: undefined,
  }));
}

const CONTENT_TYPES = [
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; charset=utf-8',
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'application/jsonx',
  'text/plain',
  'text/xml',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'application/vnd.api+json',
  '/',
  ';',
];

/** Returns a body of the fields in any encoding, or without one, with any content type. */
function bodies(all: fc.Arbitrary<Fields>): fc.Arbitrary<{ type: string | undefined; body: Buffer }> {
  const json = all.map((list) => Buffer.from(JSON.stringify(Object.fromEntries(list))));
  const anything = fc.jsonValue({ maxDepth: 4 }).map((value) => Buffer.from(JSON.stringify(value)));
  const deep = fc.constantFrom('[', '{"token":').map((open) => Buffer.from(open.repeat(20_000)));
  const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array));
  const form = query(all).map((text) => Buffer.from(text, 'latin1'));
  const poison = fc.constantFrom(
    '{"__proto__":{"token":"x"}}',
    '{"constructor":{"prototype":{"x":1}},"token":"y"}',
    '{"token":"\\ud800"}',
    '{"token":"\\u0000","grant_type":"\\u0000","code":"\\ud800","client_id":"\\udfff"}',
    '{"token":1e999}',
    '\ufeff{"token":"x"}',
    '',
  );
  const right = fc.oneof(
    { weight: 4, arbitrary: form.map((body) => ({ type: 'application/x-www-form-urlencoded', body })) },
    { weight: 3, arbitrary: json.map((body) => ({ type: 'application/json', body })) },
    { weight: 1, arbitrary: poison.map((text) => ({ type: 'application/json', body: Buffer.from(text) })) },
  );
  const type = fc.option(fc.oneof(fc.constantFrom(...CONTENT_TYPES), oddText.map(inHeader)), {
    nil: undefined,
  });
  const wrong = fc.record({ type, body: fc.oneof(form, json, anything, bytes, deep) });
  return fc.oneof({ weight: 3, arbitrary: right }, { weight: 2, arbitrary: wrong });
}

export function post(
  path: fc.Arbitrary<string>,
  all: fc.Arbitrary<Fields>,
  sent: fc.Arbitrary<[string, string][]>,
): fc.Arbitrary<RawRequest> {
  return fc.record({ path, content: bodies(all), sent }).map(({ path: target, content, sent: list }) => {
    const typed: [string, string][] = content.type === undefined ? [] : [['Content-Type', content.type]];
    return { method: 'POST', target, headers: [...list, ...typed], body: content.body };
  });
}

/** Returns requests to POST /token with any body, in any content type. */
export function tokenRequest(existing: Target): fc.Arbitrary<RawRequest> {
  const form = fields({
    grant_type: ['authorization_code', 'refresh_token'],
    client_id: [existing.clientId],
    client_secret: [existing.clientSecret],
    code: ['ada', 'nobody'],
    redirect_uri: [existing.redirectUri],
    refresh_token: [...existing.tokens, 'x.y.z'],
    code_verifier: ['dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'],
  });
  return post(fc.constantFrom('/token', '/api/oauth/token'), form, headers(existing));
}

/** Returns requests to POST /revoke and POST /introspect with anything instead of a token. */
export function revokeRequest(existing: Target): fc.Arbitrary<RawRequest> {
  const mangled = existing.tokens.flatMap((token) => {
    const [head = '', claims = '', signature = ''] = token.split('.');
    const header = Buffer.from('{"alg":"none","typ":"at+jwt","kid":"AAAAAAAAAAAA"}').toString('base64url');
    return [
      `${head}.${claims}.`,
      `${head}..${signature}`,
      `${header}.${claims}.`,
      `${token}.`,
      token.toUpperCase(),
    ];
  });
  const form = fields({
    token: [...mangled, ...existing.tokens],
    token_type_hint: ['access_token', 'refresh_token'],
    client_id: [existing.clientId],
    client_secret: [existing.clientSecret],
  });
  const paths = ['/revoke', '/api/oauth/revoke', '/introspect', '/api/oauth/introspect'];
  return post(fc.constantFrom(...paths), form, headers(existing));
}

/** Returns requests with any method to paths that nearly exist, in odd percent-encoding. */
export function strayRequest(existing: Target): fc.Arbitrary<RawRequest> {
  const method = fc.constantFrom(
    'GET',
    'HEAD',
    'POST',
    'PUT',
    'DELETE',
    'OPTIONS',
    'PATCH',
    'PROPFIND',
    'TRACE',
  );
  const part = fc.oneof(
    fc.constantFrom(
      'authorize',
      '%61uthorize',
      'token',
      'toke%6e',
      'revoke',
      'api',
      'oauth',
      'connect',
      'event',
    ),
    fc.constantFrom(
      '..',
      '.',
      '%2e%2e',
      '%2F',
      '%5c',
      '%',
      '%0',
      '%00',
      '%c0%af',
      '%ff',
      '%F0%9F%98%80',
      ';a=b',
    ),
    fc.constantFrom(
      'calendars',
      'events',
      'webhooks',
      'subscribe',
      'disconnect',
      'connection-status',
      'health',
    ),
    oddText.map((text) => onLine(text).replaceAll('#', '')),
    oddText.map(percentEncoded),
  );
  const path = fc.array(part, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
  return fc.record({ method, path, sent: headers(existing) }).map(({ method: verb, path: target, sent }) => ({
    method: verb,
    target,
    headers: sent,
    body: undefined,
  }));
}
