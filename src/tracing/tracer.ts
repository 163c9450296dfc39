/** Spans of a trace: begun, worked in, and ended. What is sampled goes to the exporter. */
import { randomBytes } from 'node:crypto';

import { currentTrace, type TraceContext } from '../lib/current-trace.ts';
import type { Attributes, EndedSpan, SpanKind } from './span.ts';

export interface Tracer {
  /** Goes on with `parent`, a traceparent; else with the trace that is under way; else a trace begins. */
  start(kind: SpanKind, parent?: string): Span;
  /** Runs the work as part of the span. */
  run<T>(span: Span, work: () => T): T;
}

export type Span = {
  readonly context: TraceContext;
  end(name: string, attributes: Attributes, isError: boolean): void;
};

export type TracerOptions = {
  /** Which part of the traces that begin here is kept, from 0 to 1. */
  readonly sampling: number;
  readonly ended: (span: EndedSpan) => void;
};

export function openTracer({ sampling, ended }: TracerOptions): Tracer {
  return {
    start(kind, parent) {
      const from = (parent === undefined ? undefined : readTraceparent(parent)) ?? currentTrace.getStore();
      const context = {
        traceId: from?.traceId ?? randomBytes(16).toString('hex'),
        spanId: randomBytes(8).toString('hex'),
        isSampled: from?.isSampled ?? Math.random() < sampling,
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
  };
}

const instant = (): number => performance.timeOrigin + performance.now();

/** W3C Trace Context §3.2; undefined for what is none. Later versions may add to it. */
export function readTraceparent(text: string): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/.exec(text.slice(0, 200)) ?? [];
  const isValid = version !== undefined && version !== 'ff' && /[^0]/.test(traceId) && /[^0]/.test(spanId);
  if (!isValid || (version === '00' && text.length !== 55)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1, isOfJob: false };
}
