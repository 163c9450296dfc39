/** Requests that grow: any part of one in any number, in itself and in others. */
import fc from 'fast-check';

import { growingSize, grown, received } from '../harness/growth.ts';

const ROUTES: readonly (readonly [method: string, path: string])[] = [
  ...['/authorize', '/connect/consent', '/events', '/calendars', '/free-busy', '/api/events', '/health'].map(
    (at) => ['GET', at] as const,
  ),
  ...[
    '/token',
    '/revoke',
    '/introspect',
    '/par',
    '/connect/caldav',
    '/connect/consent',
    '/events',
    '/api/token',
  ].map((at) => ['POST', at] as const),
  ...['GET', 'DELETE', 'PUT'].map((method) => [method, '/users/ada'] as const),
];
const fieldName = fc.constantFrom(
  'client_id',
  'user_id',
  'state',
  'scope',
  'calendar_ids',
  'start',
  'a#',
  '__proto__',
  '',
);
const fieldText = grown(
  fc.constantFrom('a', '%20', '%zz', '+', '%F0%9F%98%80', ',', '2026-11-#', '..', '[', '=', ';'),
);
const field = fc.tuple(fieldName, fieldText).map(([name, text]) => `${name}=${text}&`);
const fields = fc
  .array(fc.oneof({ weight: 3, arbitrary: field }, grown(field)), { maxLength: 4 })
  .map((all) => all.join(''));
const pathEnd = grown(fc.constantFrom('/', '/a', '/..', '%2F', '//', '%'));
const route = fc
  .tuple(fc.constantFrom(...ROUTES), fc.oneof({ weight: 5, arbitrary: fc.constant('') }, pathEnd))
  .map(([[method, at], end]): [string, string] => [method, at + end]);
const header = fc
  .tuple(
    fc.constantFrom(
      'Cookie',
      'Authorization',
      'Accept',
      'Accept-Language',
      'If-None-Match',
      'X-Forwarded-For',
      'X-#',
    ),
    grown(
      fc.constantFrom(
        'a=b; ',
        'kalends_tx_a=#; ',
        'Basic ',
        'Bearer ',
        'fr;q=0.#, ',
        ',',
        '"a", ',
        '1.2.3.4, ',
        'x.',
      ),
    ),
  )
  .map(([name, text]) => `${name}: ${text}\r\n`);
const headers = fc.array(fc.oneof({ weight: 3, arbitrary: header }, grown(header)), { maxLength: 3 });
const nestedJson = fc
  .tuple(fc.constantFrom<[string, string]>(['[', ']'], ['{"a":', '}']), growingSize(1_000_000), fc.boolean())
  .map(([[open, close], depth, closes]) => `${open.repeat(depth)}1${closes ? close.repeat(depth) : ''}`);
const flatJson = grown(fc.constantFrom('"a#":"b",', '"a":{},', '"title":"\\u0000",', '"a":1e#,')).map(
  (text) => `{${text}"z":1}`,
);
const body = fc.oneof(
  fc.constant<[string, string]>(['', '']),
  fields.map((text): [string, string] => ['application/x-www-form-urlencoded', text]),
  fc.oneof(nestedJson, flatJson).map((text): [string, string] => ['application/json', text]),
  grown(fc.constantFrom('a', '\0', '[')).map((text): [string, string] => ['text/plain', text]),
);

/** As bytes of latin 1, whole with its length. */
export const growingRequest: fc.Arbitrary<string> = fc.noShrink(
  fc
    .record({ route, query: fields, headers, body })
    .map(({ route: [method, at], query, headers: lines, body: [type, sent] }) => {
      const text = method === 'GET' ? '' : sent;
      const typed = type === '' || text === '' ? '' : `Content-Type: ${type}\r\n`;
      const head = `${method} ${at}?${query} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}${typed}`;
      return received(`${head.replaceAll('#', '20')}Content-Length: ${text.length}\r\n\r\n`) + text;
    }),
);
