/** OTLP as its publishers define it: the messages of opentelemetry-proto, made by OpenTelemetry itself. */
import { createRequire } from 'node:module';
import path from 'node:path';

import { FORMATS } from '../harness/published-formats.ts';

/** The members used here of a message class that protobufjs generated. */
type MessageType = {
  fromObject(value: unknown): unknown;
  encode(message: unknown): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
  toObject(message: unknown, options: object): unknown;
};

const GENERATED = '@opentelemetry/otlp-transformer/build/src/generated/root.js';
const IDS = new Set(['traceId', 'spanId', 'parentSpanId']);

/**
 * A body of `/v1/traces` as a collector has it that read it by the protocol: what the protocol has no field for is not
 * there, and what is of another type is another value.
 */
export function asCollectorReads(body: string): unknown {
  const { opentelemetry } = createRequire(import.meta.url)(path.join(FORMATS, GENERATED));
  const request: MessageType = opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
  const sent = JSON.parse(
    body,
    withIds((hex) => Buffer.from(hex, 'hex').toString('base64')),
  );
  const bytes = request.encode(request.fromObject(sent)).finish();
  const read = request.toObject(request.decode(bytes), { longs: String, bytes: String });
  return JSON.parse(
    JSON.stringify(read),
    withIds((base64) => Buffer.from(base64, 'base64').toString('hex')),
  );
}

/** The JSON of protocol buffers has bytes in base64; OTLP has its ids in hexadecimal. */
const withIds = (change: (id: string) => string) => (key: string, value: unknown) =>
  IDS.has(key) && typeof value === 'string' ? change(value) : value;
