/**
 * The trace of the current work. It passes through asynchronous calls, and into the rows of jobs and streams that the
 * work creates. Without tracing there is none, and checking costs nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export type TraceContext = {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The id of the current span: 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /**
   * Whether the trace is that of a job. Jobs that a job creates are not part of its trace: the trace of polling would
   * never end.
   */
  readonly isOfJob: boolean;
};

export const currentTrace = new AsyncLocalStorage<TraceContext>();

/** Returns the trace as W3C Trace Context writes it. */
export const traceparentOf = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

/** Returns the trace for the row of a job; `null` if there is no trace, it is not sampled, or a job creates the job. */
export function traceOfJob(): string | null {
  const trace = currentTrace.getStore();
  return trace?.isSampled && !trace.isOfJob ? traceparentOf(trace) : null;
}

/** Returns the same for the row of a stream. */
export function traceOfStream(): string | null {
  const trace = currentTrace.getStore();
  return trace?.isSampled ? traceparentOf(trace) : null;
}
