/** Keeps requests within a provider's limits over all instances: circuit breakers, budgets, slots per mailbox. */
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '../calendars/account-store.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import type { ProviderKind } from '../calendars/provider-facts.ts';
import { PROVIDER_FACTS, type ProviderLimits } from '../calendars/provider-facts.ts';
import { requestBudgets } from './request-budget.ts';
import { type Entry, requestCircuits } from './request-circuit.ts';
import type { RequestLimitStore } from './request-limit-store.ts';
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
    if (limits.app !== undefined) await budgets.take(`app ${app}`, limits.app);
    if (limits.user !== undefined)
      await budgets.take(`user ${hashMailbox(app, account.accountId)}`, limits.user);
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
