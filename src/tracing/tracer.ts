/** Starts, runs and ends the spans of a trace. Sampled spans go to the exporter. */
import { randomBytes } from 'node:crypto';
import { currentTrace, type TraceContext } from '../lib/current-trace.ts';

export interface Tracer {
  /** Continues `parent` (a traceparent), otherwise the current trace, otherwise starts a trace. */
  start(kind: SpanKind, parent?: string): Span;
  run<T>(span: Span, work: () => T): T;
}

export type Span = {
  readonly context: TraceContext;
  end(name: string, attributes: Attributes, isError: boolean): void;
};

export type TracerOptions = {
  /** The exported share of traces that begin here, from 0 to 1. */
  readonly sampling: number;
  /** Whether the decision of the parent applies instead. True by default. */
  readonly followsParent?: boolean;
  readonly ended: (span: EndedSpan) => void;
};

export const openTracer = ({ sampling, followsParent = true, ended }: TracerOptions): Tracer => ({
  start(kind, parent) {
    const from = (parent === undefined ? undefined : readTraceparent(parent)) ?? currentTrace.getStore();
    const traceId = from?.traceId ?? randomBytes(16).toString('hex');
    const context = {
      traceId,
      spanId: randomBytes(8).toString('hex'),
      isSampled: (followsParent ? from?.isSampled : undefined) ?? isInShare(traceId, sampling),
      isOfJob: kind === 'consumer' || (from?.isOfJob ?? false),
    };
    const startedAt = instant();
    return {
      context,
      end(name, attributes, isError) {
        if (!context.isSampled) return;
        const times = { startedAt, endedAt: instant() };
        ended({ context, parentSpanId: from?.spanId, kind, name, ...times, attributes, isError });
      },
    };
  },
  run: (span, work) => currentTrace.run(span.context, work),
});

/** Decides by the trace's id, as other programs of the trace do (W3C Trace Context Level 2 §3.3.1.3), to 52 bits. */
const isInShare = (traceId: string, share: number): boolean =>
  Number.parseInt(traceId.slice(-14, -1), 16) >= (1 - share) * 2 ** 52;

const instant = (): number => performance.timeOrigin + performance.now();

/** Parses a traceparent (W3C Trace Context §3.2); undefined for other text. Later versions may be longer. */
export function readTraceparent(text: string): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/.exec(text.slice(0, 200)) ?? [];
  const isValid = version !== undefined && version !== 'ff' && /[^0]/.test(traceId) && /[^0]/.test(spanId);
  if (!isValid || (version === '00' && text.length !== 55)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1, isOfJob: false };
}

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
