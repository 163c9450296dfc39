import type { TraceContext } from '../lib/current-trace.ts';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** Attributes without tokens, titles, addresses or user ids. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A finished operation. Instants are epoch milliseconds with a fraction. */
export type EndedSpan = {
  readonly context: TraceContext;
  readonly parentSpanId: string | undefined;
  readonly kind: SpanKind;
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  readonly isError: boolean;
};
