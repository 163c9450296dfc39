/**
 * The trace of the work that is under way, for whatever is made of it later: it goes along with asynchronous calls, and into
 * the rows of jobs and streams. Without tracing there is none, and looking costs nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export type TraceContext = {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Of the span that is under way: 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** Jobs that a job makes are no part of its trace: polling would go on with it for ever. */
  readonly isOfJob: boolean;
};

export const currentTrace = new AsyncLocalStorage<TraceContext>();

/** As W3C Trace Context writes it. */
export const traceparentOf = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

/** For the row of a job; `null` where it is of no trace that is kept. */
export function traceOfJob(): string | null {
  const trace = currentTrace.getStore();
  return trace?.isSampled && !trace.isOfJob ? traceparentOf(trace) : null;
}

/** The same for what is told to an endpoint. */
export function traceOfStream(): string | null {
  const trace = currentTrace.getStore();
  return trace?.isSampled ? traceparentOf(trace) : null;
}
