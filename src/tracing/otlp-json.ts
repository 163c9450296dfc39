/** Renders spans in the JSON of OTLP (opentelemetry-proto, trace/v1): ids in hexadecimal, 64-bit numbers as text. */
import type { Attributes, EndedSpan, SpanKind } from './span.ts';

/** The program that created the spans. */
export type TracedProgram = { readonly version: string; readonly instanceId: string };

const KINDS: Readonly<Record<SpanKind, number>> = {
  internal: 1,
  server: 2,
  client: 3,
  producer: 4,
  consumer: 5,
};
const STATUS_ERROR = 2;

/** Returns the body of a request to `/v1/traces`. */
export function otlpJson(spans: readonly EndedSpan[], { version, instanceId }: TracedProgram): string {
  const resource = {
    attributes: listed({
      'service.name': 'kalends',
      'service.version': version,
      'service.instance.id': instanceId,
    }),
  };
  const scopeSpans = [{ scope: { name: 'kalends', version }, spans: spans.map(toOtlpSpan) }];
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] });
}

const toOtlpSpan = ({ context, parentSpanId, kind, name, ...span }: EndedSpan) => ({
  traceId: context.traceId,
  spanId: context.spanId,
  ...(parentSpanId === undefined ? {} : { parentSpanId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: nanoseconds(span.startedAt),
  endTimeUnixNano: nanoseconds(span.endedAt),
  attributes: listed(span.attributes),
  status: span.isError ? { code: STATUS_ERROR } : {},
});

const listed = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );

function anyValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value };
  return typeof value === 'number' ? { intValue: String(Math.round(value)) } : { boolValue: value };
}

/** Uses text, because a number cannot hold today's time in nanoseconds. */
const nanoseconds = (milliseconds: number): string => `${Math.round(milliseconds * 1_000)}000`;
