/** A collector of traces on this machine: takes OTLP in its JSON, and nothing that opentelemetry-proto does not have. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

const closed = { additionalProperties: false };
const strict = <const P extends Parameters<typeof Type.Object>[0]>(fields: P) => Type.Object(fields, closed);

// The JSON mapping of 64-bit numbers is text, that of ids hexadecimal.
const Nanoseconds = Type.String({ pattern: '^\\d{19}$' });
const AnyValue = Type.Union([
  strict({ stringValue: Type.String() }),
  strict({ intValue: Type.String({ pattern: '^-?\\d+$' }) }),
  strict({ boolValue: Type.Boolean() }),
]);
const Attributes = Type.Array(strict({ key: Type.String({ minLength: 1 }), value: AnyValue }));
const Span = strict({
  traceId: Type.String({ pattern: '^[\\da-f]{32}$' }),
  spanId: Type.String({ pattern: '^[\\da-f]{16}$' }),
  parentSpanId: Type.Optional(Type.String({ pattern: '^[\\da-f]{16}$' })),
  name: Type.String({ minLength: 1 }),
  kind: Type.Integer({ minimum: 1, maximum: 5 }),
  startTimeUnixNano: Nanoseconds,
  endTimeUnixNano: Nanoseconds,
  attributes: Attributes,
  status: strict({ code: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 })) }),
});
const Scope = strict({ name: Type.String(), version: Type.String() });
const Traces = strict({
  resourceSpans: Type.Array(
    strict({
      resource: strict({ attributes: Attributes }),
      scopeSpans: Type.Array(strict({ scope: Scope, spans: Type.Array(Span) })),
    }),
  ),
});

export type CollectedSpan = Static<typeof Span>;

export type Collector = Awaited<ReturnType<typeof openCollector>>;

export async function openCollector() {
  const collected = {
    /** Accepted spans, and the body and headers of every request. */
    spans: [] as CollectedSpan[],
    bodies: [] as string[],
    headers: [] as IncomingHttpHeaders[],
    /** The status of responses to valid requests. */
    status: 200,
  };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    collected.bodies.push(body);
    collected.headers.push(request.headers);
    const traces: unknown = JSON.parse(body);
    const isJson = request.url === '/v1/traces' && request.headers['content-type'] === 'application/json';
    const isValid = isJson && Value.Check(Traces, traces);
    if (isValid && collected.status === 200)
      collected.spans.push(
        ...traces.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      );
    response.writeHead(isValid ? collected.status : 400, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return Object.assign(collected, {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  });
}

/** The value of an attribute, as text. */
export function attributeOf({ attributes }: CollectedSpan, name: string): string | undefined {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value === undefined ? undefined : String(Object.values(value)[0]);
}
