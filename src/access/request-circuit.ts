/**
 * A circuit breaker for each account and operation, its state in the database: after failures in a row
 * nobody asks for a while, then one request tries whether it works again.
 */
import { ProviderError } from '../calendars/provider-error.ts';
import { errorOfFailure, failureOfError } from '../calendars/sync-failure.ts';
import type { Circuit, RequestLimitStore } from './request-limit-store.ts';

export type Entry =
  /** `isProbed`: another request is just finding out whether it works again. */
  | { readonly isOpen: true; readonly refusal: ProviderError; readonly isProbed: boolean }
  /** `leave` says how it ended; `undefined` for success. */
  | { readonly isOpen: false; leave(error: unknown): Promise<void> };

type Refused = Extract<Entry, { isOpen: true }>;

/** A pause the provider asked for with Retry-After holds for all operations of the account. */
const ALL = '';
const FAILURES_TO_OPEN = 5;
const FIRST_OPEN_MS = 30_000;
export const LONGEST_OPEN_MS = 5 * 60_000;
/** Longer than a request with its waits takes; a probe that died is replaced after it. */
const PROBE_MS = 90_000;
/** How soon to ask again while another probes. */
const PROBED_MS = 2_000;
const FIRST_PAUSE_MS = 1_000;

export function requestCircuits(store: RequestLimitStore, now: () => number) {
  /** `undefined` lets the request pass. */
  const refusalOf = async (accountKey: string, circuit: Circuit): Promise<Refused | undefined> => {
    const { operation, openUntil, failure } = circuit;
    const at = now();
    if (openUntil === undefined) return undefined;
    const refused = (retryAt: number) => errorOfFailure({ ...failure, retryAt }, at);
    if (openUntil > at) return { isOpen: true, refusal: refused(openUntil), isProbed: false };
    // A pause that is over is over for all; what did not work is tried by one.
    if (failure.kind === 'rate_limited') return undefined;
    if (await store.leaseProbe(accountKey, operation, at, at + PROBE_MS)) return undefined;
    return { isOpen: true, refusal: refused(at + PROBED_MS), isProbed: true };
  };
  const count = async (accountKey: string, operation: string, error: ProviderError): Promise<void> => {
    const at = now();
    const opens = error.kind === 'rate_limited' ? pauseUntil(error, at) : openUntil(at);
    await store.countFailure(accountKey, operation, failureOfError(error, at), at, opens);
  };
  const leave = async (
    accountKey: string,
    failing: readonly Circuit[],
    operation: string,
    error: unknown,
  ) => {
    // A fault of our own says nothing about the provider: what it was like before stays.
    if (error !== undefined && !(error instanceof ProviderError)) return;
    const failed = error !== undefined && FAILURES.has(error.kind) ? error : undefined;
    const pauses = failed?.kind === 'rate_limited' && failed.retryAfter !== undefined;
    const name = failed && (pauses ? ALL : operation);
    const mended = failing.filter((circuit) => circuit.operation !== name);
    await Promise.all(mended.map((circuit) => store.closeCircuit(accountKey, circuit.operation)));
    if (failed !== undefined && name !== undefined) await count(accountKey, name, failed);
  };

  return {
    /** Reads only, unless something failed lately. */
    async enter(accountKey: string, operation: string): Promise<Entry> {
      const failing = await store.circuitsOf(accountKey, [ALL, operation]);
      for (const circuit of failing) {
        const refused = await refusalOf(accountKey, circuit);
        if (refused !== undefined) return refused;
      }
      return { isOpen: false, leave: (error) => leave(accountKey, failing, operation, error) };
    },
  };
}

/** Anything else is an answer: the provider works, whatever it said. */
const FAILURES: ReadonlySet<ProviderError['kind']> = new Set([
  'unavailable',
  'rate_limited',
  'invalid_response',
  'misconfigured',
]);

/** From the fifth failure in a row for half a minute, twice as long each time, five minutes at most. */
function openUntil(at: number): (failures: number) => number | undefined {
  return (failures) => {
    if (failures < FAILURES_TO_OPEN) return undefined;
    const doubled = FIRST_OPEN_MS * 2 ** Math.min(failures - FAILURES_TO_OPEN, 10);
    return at + Math.min(doubled, LONGEST_OPEN_MS);
  };
}

/** At once: twice as long each time, with Retry-After as the floor, since some always say one second. */
function pauseUntil({ retryAfter = 0 }: ProviderError, at: number): (failures: number) => number {
  return (failures) => {
    const doubled = FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10);
    return at + Math.max(retryAfter, Math.min(doubled, LONGEST_OPEN_MS));
  };
}
