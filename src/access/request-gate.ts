/** Keeps requests within a provider's limits over all instances: circuit breakers, budgets, slots per mailbox. */
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '../calendars/account-store.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import { PROVIDER_FACTS, type ProviderKind, type ProviderLimits } from '../calendars/provider-facts.ts';
import { errorOfFailure, failureOfError } from '../calendars/sync-failure.ts';
import { requestBudgets } from './request-budget.ts';
import type { Circuit, CircuitName, RequestLimitStore } from './request-limit-store.ts';
import { requestSlots } from './request-slots.ts';

export type RequestLimits = Readonly<Partial<Record<ProviderKind, ProviderLimits>>>;

export type GateDeps = {
  readonly requestLimits: RequestLimitStore;
  /** The limits; by default the providers' published figures. */
  readonly limits?: RequestLimits;
  readonly now: () => number;
};

export type GatedRequest = {
  readonly account: Account;
  readonly appClientId: string;
  readonly operation: string;
};

export interface RequestGate {
  /** See AccountSession.limited. */
  run<T>(gated: GatedRequest, request: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** If a provider asks to wait longer than this, the call fails. */
const SHORT_WAIT_MS = 10_000;
const PROBE_POLL_MS = 100;
const TRIES = 3;
/** The number of tries without a Retry-After, when the wait may be hours. */
const UNNAMED_TRIES = 2;

export function requestGate(deps: GateDeps): RequestGate {
  const circuits = requestCircuits(deps.requestLimits, deps.now);
  const budgets = requestBudgets(deps.requestLimits, deps.now);
  const slots = requestSlots(deps.requestLimits, deps.now);

  const findLimits = (kind: ProviderKind): ProviderLimits =>
    deps.limits === undefined ? PROVIDER_FACTS[kind].requestLimits : (deps.limits[kind] ?? {});
  const takeTokens = async ({ account, appClientId }: GatedRequest, limits: ProviderLimits) => {
    const app = toAppKey(account, appClientId);
    if (limits.app !== undefined) await budgets.take(`app ${app}`, limits.app, account);
    if (limits.user !== undefined)
      await budgets.take(`user ${hashMailbox(app, account.accountId)}`, limits.user, account);
  };
  const drainApp = async ({ account, appClientId }: GatedRequest, error: ProviderError) => {
    const rate = findLimits(account.provider).app;
    if (error.reason !== 'quota_exhausted' || rate === undefined) return;
    await budgets.drain(`app ${toAppKey(account, appClientId)}`, rate, error.retryAfter ?? 1_000);
  };
  /** Makes one attempt. Throws the errors of Kalends' own limits; a response of the provider is an outcome. */
  const once = async <T>(gated: GatedRequest, request: () => Promise<T>): Promise<Outcome<T>> => {
    const { account, appClientId } = gated;
    const limits = findLimits(account.provider);
    // Tokens come first, so that no request waits for them while it holds a slot that others could use.
    await takeTokens(gated, limits);
    const pass = await enter(gated);
    const ask = () => captureOutcome(request);
    const mailbox = hashMailbox(toAppKey(account, appClientId), account.accountId);
    const outcome = limits.atOnce === undefined ? await ask() : await slots.run(mailbox, limits.atOnce, ask);
    await pass.leave(outcome.error);
    return outcome;
  };

  return {
    async run(gated, request) {
      for (let attempt = 1; ; attempt += 1) {
        const outcome = await once(gated, request);
        if (outcome.ok) return outcome.value;
        const { error } = outcome;
        if (!(error instanceof ProviderError) || error.kind !== 'rate_limited') throw error;
        await drainApp(gated, error);
        // A request that was refused for its rate did nothing, so it may be sent again.
        const tries = error.retryAfter === undefined ? UNNAMED_TRIES : TRIES;
        if (attempt >= tries || (error.retryAfter ?? 0) > SHORT_WAIT_MS) throw error;
      }
    },
    stop: () => slots.stop(),
  };

  /** Waits for the end of a short pause that the provider requested, and of a probe in progress. */
  async function enter({ account, operation }: GatedRequest): Promise<Pass> {
    for (let patience: AbortSignal | undefined; ; ) {
      const entry = await circuits.enter(account.accountKey, operation);
      if (!entry.isOpen) return entry;
      // Real time bounds the wait. Mostly there is none, and no timer is needed.
      patience ??= AbortSignal.timeout(2 * SHORT_WAIT_MS);
      const { refusal, isProbed } = entry;
      const pause = refusal.kind === 'rate_limited' ? (refusal.retryAfter ?? 0) : Number.POSITIVE_INFINITY;
      const wait = isProbed ? PROBE_POLL_MS : pause;
      if (wait > SHORT_WAIT_MS || patience.aborted) throw refusal;
      await sleep(wait * (1 + Math.random() / 10) + 1);
    }
  }
}

/** Returns a digest, so that the rows that remain for some minutes do not identify a user whose account is deleted. */
const hashMailbox = (app: string, accountId: string): string => hash('sha256', `${app} ${accountId}`);

type Pass = Extract<Entry, { isOpen: false }>;

const toAppKey = ({ provider }: Account, appClientId: string): string => `${provider} ${appClientId}`;

type Outcome<T> =
  | { readonly ok: true; readonly value: T; readonly error?: undefined }
  | { readonly ok: false; readonly error: unknown };

async function captureOutcome<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, error: error ?? new Error('A request was rejected without a reason') };
  }
}

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
