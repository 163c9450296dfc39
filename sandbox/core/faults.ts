/** The faults of a provider as switches: set by tests, by the control endpoint and on its page. */
import { randomUUID } from 'node:crypto';

import type { MicrosoftHabit } from './microsoft-habits.ts';

export const SANDBOX_KINDS = ['google', 'microsoft', 'icloud', 'caldav'] as const;

export type SandboxKind = (typeof SANDBOX_KINDS)[number];

/** The names of the providers for people. */
export const KIND_NAMES: Readonly<Record<SandboxKind, string>> = {
  google: 'Google',
  microsoft: 'Microsoft',
  icloud: 'Apple',
  caldav: 'CalDAV',
};

export type Fault = {
  readonly provider: SandboxKind;
  /**
   * The operation that fails, by the provider's own name (`events.list`, `token`, `PROPFIND`); all when absent. `write` stands
   * for every operation that changes a calendar or an event.
   */
  readonly operation?: string;
  /** The address of the user whose requests fail; everybody's when absent. */
  readonly user?: string;
  /** How many requests fail before it is over; endless when absent. */
  readonly times?: number;
  /** How many matching requests pass before the first one fails. Default 0. */
  readonly skip?: number;
  readonly effect: FaultEffect;
};

export type FaultEffect =
  | { readonly kind: 'latency'; readonly ms: number }
  /** The connection is reset before a response. */
  | { readonly kind: 'reset' }
  /** The request takes effect, then the connection is reset: its response is lost. */
  | { readonly kind: 'lost_answer' }
  /** A response with this status; `reason` is the provider's own name for it (`rateLimitExceeded`, `AADSTS7000222`). */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly reason?: string;
      readonly retryAfter?: number;
    }
  /** The body ends in the middle, although Content-Length announces the whole. */
  | { readonly kind: 'truncate' }
  /** Items of a page come in another order, or twice. */
  | { readonly kind: 'reorder' }
  | { readonly kind: 'duplicate' }
  /** The sync token or delta link is forgotten: 410, `valid-sync-token`. */
  | { readonly kind: 'token_forgotten' }
  | { readonly kind: MicrosoftHabit }
  /** Push notifications of changes are not sent, or sent twice. */
  | { readonly kind: 'push_missing' }
  | { readonly kind: 'push_duplicate' };

export type SetFault = Fault & { readonly id: string };

export type FaultRequest = {
  readonly provider: SandboxKind;
  readonly operation: string;
  readonly user: string | undefined;
};

export interface Faults {
  set(fault: Fault): string;
  list(): readonly SetFault[];
  clear(id?: string): void;
  /** Returns the effects for this request, in the order they were set; each counts as used once. */
  take(request: FaultRequest): readonly FaultEffect[];
}

export function faultBoard(): Faults {
  const set = new Map<string, { fault: SetFault; passing: number; remaining: number }>();
  return {
    set(fault) {
      const id = randomUUID();
      const { skip: passing = 0, times: remaining = Number.POSITIVE_INFINITY } = fault;
      set.set(id, { fault: { ...fault, id }, passing, remaining });
      return id;
    },
    list: () => [...set.values()].map(({ fault }) => fault),
    clear(id) {
      if (id === undefined) set.clear();
      else set.delete(id);
    },
    take(request) {
      const matching = [...set.values()].filter(({ fault }) => appliesTo(fault, request));
      const applying = matching.filter(({ passing }) => passing === 0);
      for (const entry of matching) entry.passing = Math.max(0, entry.passing - 1);
      for (const entry of applying) {
        entry.remaining -= 1;
        if (entry.remaining <= 0) set.delete(entry.fault.id);
      }
      return applying.map(({ fault }) => fault.effect);
    },
  };
}

/** Returns whether one of the effects is of this kind. */
export const hasEffect = (effects: readonly FaultEffect[], kind: FaultEffect['kind']): boolean =>
  effects.some((effect) => effect.kind === kind);

/** The operations of all providers that change a calendar or an event. */
const WRITES =
  /^(PUT|DELETE|PROPPATCH|MKCALENDAR|MKCOL|(events|calendars|calendarList|attachments)\.(insert|create|update|patch|delete|accept|decline|tentativelyAccept))$/;

function appliesTo({ provider, operation, user }: Fault, request: FaultRequest): boolean {
  if (provider !== request.provider) return false;
  const isNamed = operation === 'write' ? WRITES.test(request.operation) : operation === request.operation;
  if (operation !== undefined && !isNamed) return false;
  return user === undefined || user === request.user;
}
