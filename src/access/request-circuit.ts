/** A circuit breaker for each account and operation, with its state in the database. */
import { ProviderError } from '../calendars/provider-error.ts';
import { errorOfFailure, failureOfError } from '../calendars/sync-failure.ts';
import type { Circuit, CircuitName, RequestLimitStore } from './request-limit-store.ts';

export type Entry =
  /** `isProbed`: another request in progress tries whether it works again. */
  | { readonly isOpen: true; readonly refusal: ProviderError; readonly isProbed: boolean }
  /** `leave` records the outcome; `undefined` for success. */
  | { readonly isOpen: false; leave(error: unknown): Promise<void> };

type Refused = Extract<Entry, { isOpen: true }>;

/** The circuit of all operations of the account, for a pause that the provider requested with Retry-After. */
const ALL = '';
const FAILURES_TO_OPEN = 5;
const FIRST_OPEN_MS = 30_000;
export const LONGEST_OPEN_MS = 5 * 60_000;
/** A probe's lease, longer than a request with its waits. After it, another request may probe. */
const PROBE_MS = 90_000;
/** The milliseconds until the next try while another request probes. */
const PROBED_MS = 2_000;
const FIRST_PAUSE_MS = 1_000;

export function requestCircuits(store: RequestLimitStore, now: () => number) {
  /** Returns the error of an open circuit; `undefined` lets the request pass. */
  const checkCircuit = async (
    accountKey: string,
    { operation, openUntil, failure }: Circuit,
  ): Promise<Refused | undefined> => {
    const at = now();
    if (openUntil === undefined) return undefined;
    const refused = (retryAt: number) => errorOfFailure({ ...failure, retryAt }, at);
    if (openUntil > at) return { isOpen: true, refusal: refused(openUntil), isProbed: false };
    // After a pause all requests may be sent again; after a failure one request tries first.
    if (failure.kind === 'rate_limited') return undefined;
    if (await store.leaseProbe({ accountKey, operation }, at, at + PROBE_MS)) return undefined;
    return { isOpen: true, refusal: refused(at + PROBED_MS), isProbed: true };
  };
  const count = async (circuit: CircuitName, error: ProviderError): Promise<void> => {
    const at = now();
    await store.countFailure({ ...circuit, failure: failureOfError(error, at) }, at, openUntil(error, at));
  };
  /** `failing` has the circuits of the account and operation that had failures when the request was sent. */
  const leave = async (
    { accountKey, operation }: CircuitName,
    failing: readonly Circuit[],
    error: unknown,
  ): Promise<void> => {
    // An internal error says nothing about the provider and changes nothing.
    if (error !== undefined && !(error instanceof ProviderError)) return;
    const failure = error !== undefined && FAILURES.has(error.kind) ? error : undefined;
    const pauses = failure?.kind === 'rate_limited' && failure.retryAfter !== undefined;
    const name = failure && (pauses ? ALL : operation);
    const working = failing.filter((circuit) => circuit.operation !== name);
    await Promise.all(working.map((circuit) => store.closeCircuit({ ...circuit, accountKey })));
    if (failure !== undefined && name !== undefined) await count({ accountKey, operation: name }, failure);
  };

  return {
    /** Only reads, unless a request has failed recently. */
    async enter(accountKey: string, operation: string): Promise<Entry> {
      const failing = await store.circuitsOf(accountKey, [ALL, operation]);
      for (const circuit of failing) {
        const refused = await checkCircuit(accountKey, circuit);
        if (refused !== undefined) return refused;
      }
      return { isOpen: false, leave: (error) => leave({ accountKey, operation }, failing, error) };
    },
  };
}

/** The errors that count as failures; any other error is a response of a provider that works. */
const FAILURES: ReadonlySet<ProviderError['kind']> = new Set([
  'unavailable',
  'rate_limited',
  'invalid_response',
  'misconfigured',
]);

/** Returns the end of the open circuit. Retry-After is only the minimum: some providers always send one second. */
function openUntil({ kind, retryAfter = 0 }: ProviderError, at: number) {
  const doubled = (first: number, times: number) =>
    Math.min(first * 2 ** Math.min(times, 10), LONGEST_OPEN_MS);
  return (failures: number): number | undefined => {
    if (kind === 'rate_limited') return at + Math.max(retryAfter, doubled(FIRST_PAUSE_MS, failures - 1));
    return failures < FAILURES_TO_OPEN ? undefined : at + doubled(FIRST_OPEN_MS, failures - FAILURES_TO_OPEN);
  };
}
