/** The trace of the current work, inherited by asynchronous calls and by the rows of its jobs and streams. */
import { AsyncLocalStorage } from 'node:async_hooks';

export type TraceContext = {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The id of the current span: 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** Whether this is a job's trace. Jobs that a job creates do not join it: a trace of polling would never end. */
  readonly isOfJob: boolean;
};

export const currentTrace = new AsyncLocalStorage<TraceContext>();

/** Formats the trace as in W3C Trace Context. */
export const toTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

/** Returns the trace for the row of a job; `null` if there is no trace, it is not sampled, or a job creates the job. */
export function traceOfJob(): string | null {
  const trace = currentTrace.getStore();
  return trace?.isSampled && !trace.isOfJob ? toTraceparent(trace) : null;
}

/** Returns the trace for the row of a stream; `null` if there is no trace or it is not sampled. */
export function traceOfStream(): string | null {
  const trace = currentTrace.getStore();
  return trace?.isSampled ? toTraceparent(trace) : null;
}
