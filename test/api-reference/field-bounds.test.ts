/**
 * The server accepts the values that openapi.json allows of each field, plus the tolerance that the field states, and no
 * others. The values are generated from the documented schemas: at their bounds, beyond them, and of other types.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import type { FastifyInstance, InjectOptions } from 'fastify';
import Format from 'typebox/format';
import Schema from 'typebox/schema';
import { OPERATIONS } from '../../src/api-reference/current-document.ts';
import type { OpenApiDocument } from '../../src/api-reference/openapi-document.ts';
import type { Json } from '../../src/api-reference/schema-references.ts';
import type { Field, Table } from '../../src/http/fields.ts';
import type { Operation } from '../../src/http/operation.ts';
import { ianaZone } from '../../src/lib/recurrence/zone.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { isEndpointSecret } from '../../src/webhooks/endpoint-secret.ts';
import { type CalendarServer, openCalendarServer } from '../harness/calendar-server.ts';
import { openWholeApp } from '../harness/whole-app.ts';

Format.Set('time-zone', (text) => ianaZone(text) !== undefined);
Format.Set('endpoint-secret', isEndpointSecret);
Format.Set('page-token', (text) => /^\d{1,15} msg_/.test(Buffer.from(text, 'base64url').toString()));

/** Their parameters keep the bytes in which they were sent, and have readers of their own. */
const SPELLED = ['startAuthorization', 'pushAuthorizationRequest'];

/** Texts that some field accepts, or that look as if it did. */
const TEXTS = [
  ...['', ' ', 'x', 'X ', '5', '05', '-1', '1.5', 'true', 'TRUE', 'no'],
  ...['2026-11-20', '2026-11-20T09:30:00Z', '2026-11-20T09:30:00.5+01:00', '2026-11-20T09:30:00'],
  ...['2026-11-20 09:30', '20261120T093000Z', '2026-11', 'tomorrow', '1795424400000'],
  ...['2026-11-2 9:30:00 UTC', '2026-11-20T24:00Z[UTC]', '2026-11-20T09:30 01:00', '2026-11-20T9'],
  ...['Europe/Vienna', 'europe/vienna', 'Mars/Olympus', '09:00', '24:00', '24:01', '9:00'],
  ...['ada@example.com', 'mailto:ada@example.com', 'ada@', '#0b8043', '#0b804', 'sage', ' #0B8043 '],
  ...['https://meet.example/x', 'ftp://meet.example', 'MO', '2mo', '-1FR', '0MO', 'events', 'EVENTS'],
  ...['{"google":["x"]}', '["x"]', '{"x":{}}', '{"x":{"1":"y"}}', '{"google":1}', '[1]', '{'],
  ...['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_x', 'MTc5NTQyNDQwMDAwMCBtc2dfeA'],
];
const OTHERS = [
  null,
  5,
  1.5,
  true,
  [],
  {},
  [5],
  ['x'],
  { x: 1 },
  { x: {} },
  { google: ['x'] },
  { autoGenerate: 1 },
];

/** Mistakes that fields make together. */
const TOGETHER = /must (not )?be (before|after|within)/;

type Probe = { readonly value: unknown; readonly isAccepted: boolean };

describe('the fields of requests', () => {
  let server: CalendarServer;
  let app: FastifyInstance;
  let document: OpenApiDocument;
  let bearer: string;
  before(async () => {
    const sealer = createSealer(randomBytes(32));
    server = await openCalendarServer({ sealer });
    ({ app } = await openWholeApp(server, sealer));
    document = (await app.inject('/openapi.json')).json();
    bearer = await server.token();
  });
  after(async () => {
    await app.close();
    await server.close();
  });

  function follow(schema: Json): Json {
    const { $ref } = schema;
    return typeof $ref === 'string'
      ? (document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {})
      : schema;
  }

  /** Whether a schema allows a value. The JSON in a text is held to the schema of its content. */
  function allows(schema: object | undefined, value: unknown): boolean {
    if (schema === undefined) return false;
    const { contentSchema } = { contentSchema: undefined, ...schema };
    if (contentSchema !== undefined) return typeof value === 'string' && allows(contentSchema, jsonIn(value));
    return Schema.Compile({ ...schema, components: document.components }).Check(value);
  }

  function isAccepted({ isRequired, absent, also }: Field<unknown>, schema: Json, value: unknown): boolean {
    if (value === undefined || value === null || allows(absent, value)) return !isRequired;
    return allows(schema, value) || allows(also, value);
  }

  /** Values of a field in a JSON body. `place` puts a value of a part into a value of the whole. */
  function probesOf(
    field: Field<unknown>,
    schema: Json,
    place = (value: unknown): unknown => value,
  ): Probe[] {
    const values = [
      undefined,
      ...OTHERS,
      ...TEXTS,
      ...TEXTS.map((text) => [text]),
      ...boundsOf(follow(schema)),
    ];
    const own = values.map((value) => ({
      value: place(value),
      isAccepted: isAccepted(field, schema, value),
    }));
    const { type, items, properties } = follow(schema);
    if (field.fields === undefined) return own;
    const item = type === 'array' ? Object(items) : { properties };
    const object = follow(item.anyOf?.at(-1) ?? item);
    const base = requiredOf(field.fields);
    const parts = Object.entries(field.fields).flatMap(([name, part]) =>
      probesOf(part, Object(object.properties)[name], (value) => {
        const whole = { ...base, [name]: value };
        return place(type === 'array' ? [whole] : whole);
      }),
    );
    // An object of nulls can mean an absent field.
    const isAbsent = (value: unknown) => allows(field.absent, value) && !field.isRequired;
    return [
      ...own,
      ...parts.map((part) => ({ ...part, isAccepted: part.isAccepted || isAbsent(part.value) })),
    ];
  }

  /** Values of a parameter, which are texts. A number is one in digits. */
  function textProbesOf(field: Field<unknown>, schema: Json, isBlankAbsent: boolean): Probe[] {
    const values = [...TEXTS, ...boundsOf(schema).map(String)];
    return values.map((value) => {
      const sent = isBlankAbsent && value.trim() === '' ? undefined : value;
      const number = schema.type === 'integer' && /^\d+$/.test(value) ? Number(value) : sent;
      return { value, isAccepted: isAccepted(field, schema, number) };
    });
  }

  /** Sends a request in which one field has that value. Returns whether the field is refused. */
  async function isRefused(request: InjectOptions, name: string): Promise<boolean> {
    const answer = await app.inject(request);
    const { code, error, message, details } = answer.json();
    assert.notEqual(answer.statusCode, 500, JSON.stringify([request, message]));
    if (answer.statusCode !== 400 || (code ?? error) !== 'invalid_request') return false;
    const sentences = details === undefined ? [message] : Object.values(details).flat();
    return sentences.some((text) => String(text).startsWith(name) && !TOGETHER.test(String(text)));
  }

  for (const operation of OPERATIONS.filter(({ id }) => !SPELLED.includes(id))) {
    const { id, method, path: template, pathFields = {}, query = {}, headers = {}, body } = operation;
    const fields = { ...query, ...headers, ...body?.fields };
    if (Object.keys(fields).length === 0) continue;
    it(`${id} accepts of each field what openapi.json allows, and what the field tolerates`, async () => {
      const documented = document.paths[template]?.[method];
      const content = Object.values(documented?.requestBody?.content ?? {})[0];
      const properties: Json = Object(follow(Object(content?.schema)).properties);
      const url = template.replace(/\{(\w+)\}/g, (_, name) => String(pathFields[name]?.example));
      const base = {
        query: requiredOf(query),
        headers: authorization(operation),
        body: requiredOf(body?.fields ?? {}),
      };
      const request = (part: Partial<typeof base>): InjectOptions => ({
        method,
        url: `${url}?${new URLSearchParams(textsOf({ ...base.query, ...part.query }))}`,
        headers: { ...base.headers, ...part.headers },
        ...(body && { payload: { ...base.body, ...part.body } }),
      });
      const wrong: string[] = [];
      async function probe(
        name: string,
        probes: readonly Probe[],
        put: (value: unknown) => Partial<typeof base>,
      ) {
        for (const { value, isAccepted: expected } of probes) {
          // An expiration has to be later than now, which no schema can say.
          if (name === 'expiration' && value !== '' && Number(value) < server.clock.now) continue;
          const refused = await isRefused(request(put(value)), name);
          if (refused === expected)
            wrong.push(
              `${name} ${JSON.stringify(value)?.slice(0, 99)} is ${refused ? 'refused' : 'accepted'}`,
            );
        }
      }

      for (const { in: place, name, schema } of documented?.parameters ?? []) {
        const field = (place === 'query' ? query : headers)[name];
        if (field === undefined) continue;
        const isRead = place === 'query' && method === 'get';
        const probes = textProbesOf(field, schema, isRead);
        await probe(name, probes, (value) => ({
          [place === 'query' ? 'query' : 'headers']: { [name]: value },
        }));
      }
      for (const [name, field] of Object.entries(body?.fields ?? {})) {
        const probes = probesOf(field, Object(properties[name]));
        for (const sent of field.alias === undefined ? [name] : [name, field.alias])
          await probe(sent, probes, (value) => ({ body: { [name]: undefined, [sent]: value } }));
      }
      assert.equal(wrong.join('\n'), '');
    });
  }

  it('the first of a repeated parameter counts, and unknown ones are ignored', async () => {
    const sent = (query: string) =>
      isRefused({ url: `/events?${query}`, headers: { authorization: `Bearer ${bearer}` } }, 'pageSize');
    assert.equal(await sent('pageSize=5&pageSize=x'), false);
    assert.equal(await sent('pageSize=x&pageSize=5'), true);
    assert.equal(await sent('pagesize=x'), false);
  });

  function authorization({ callers }: Operation): Record<string, string> {
    if (callers.includes('anybody')) return {};
    const basic = `Basic ${Buffer.from('acme:acme').toString('base64')}`;
    return { authorization: callers[0] === 'application' ? basic : `Bearer ${bearer}` };
  }
});

/** The required fields, each with its example. */
function requiredOf(table: Table): Record<string, unknown> {
  const needed = Object.entries(table).filter(([, { isRequired }]) => isRequired);
  return Object.fromEntries(needed.map(([name, { example }]) => [name, example]));
}

const textsOf = (members: Record<string, unknown>): [string, string][] =>
  Object.entries(members).map(([name, value]) => [name, String(value)]);

/** Values at the bounds that a schema states, and one beyond each. */
function boundsOf(schema: Json): unknown[] {
  const { minimum, maximum, maxLength, minItems, maxItems, enum: words } = schema;
  const numbers = [minimum, maximum].filter((bound) => typeof bound === 'number');
  const lists = [minItems, maxItems].filter((bound) => typeof bound === 'number');
  return [
    ...numbers.flatMap((bound) => [bound - 1, bound, bound + 1, bound + 0.5, String(bound)]),
    ...(typeof maxLength === 'number' ? ['x'.repeat(maxLength), 'x'.repeat(maxLength + 1)] : []),
    ...(Array.isArray(words)
      ? words.flatMap((word) => [word, word.toUpperCase(), ` ${word} `, `${word}x`])
      : []),
    ...lists.flatMap((bound) =>
      [bound - 1, bound, bound + 1].map((length) => Array.from({ length }, (_, at) => itemOf(schema, at))),
    ),
  ];
}

/** An item of a list: a different one for each `at`. */
function itemOf({ items }: Json, at: number): unknown {
  const { anyOf, format, $ref }: Json = Object(items);
  if (typeof $ref === 'string') return { start: '09:00', end: '17:00' };
  const isAddress = Array.isArray(anyOf) && anyOf.some((one) => one.format === 'email');
  return isAddress || format === 'email' ? `ada${at}@example.com` : `u${at}`;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
