/** The wire shapes of the control endpoint. */
import {
  flag,
  type Input,
  object,
  oneOf,
  parsed,
  required,
  text,
  wholeNumber,
} from '../../src/http/fields.ts';
import { ANY_CALL, ApiError, errorTable } from '../../src/http/refusal.ts';
import { type Fault, type FaultEffect, SANDBOX_KINDS } from './faults.ts';
import { MICROSOFT_HABITS } from './microsoft-habits.ts';

/** The sandbox's own errors; docs/errors.md lists those of the server only. */
export const SANDBOX = errorTable({
  forbidden: {
    status: 403,
    message: 'The control endpoint takes no requests from other sites’ pages',
    when: 'The request came from a page of another site, or under another name than a loopback address.',
    fix: 'Use the sandbox’s own pages, at a loopback address.',
  },
});

const MOST_LATENCY_MS = 600_000;

const EFFECTS = [
  'latency',
  'reset',
  'lost_answer',
  'status',
  'truncate',
  'reorder',
  'duplicate',
  'token_forgotten',
  ...MICROSOFT_HABITS,
  'push_missing',
  'push_duplicate',
] as const;

const count = (min: number) => wholeNumber({ min, max: Number.MAX_SAFE_INTEGER });

/** A fault before it is known that its effect has what its kind needs. */
export const FAULT_BODY = {
  provider: required(oneOf(SANDBOX_KINDS)),
  operation: text({}),
  user: text({}),
  times: count(1),
  skip: count(0),
  effect: required(
    object({
      kind: required(oneOf(EFFECTS)),
      ms: wholeNumber({ min: 0, max: MOST_LATENCY_MS }),
      status: wholeNumber({ min: 400, max: 599 }),
      reason: text({}),
      retryAfter: count(0),
    }),
  ),
};
type FaultBody = Input<typeof FAULT_BODY>;

/** A person at a provider, by the address that signs in there. */
export const PERSON = { provider: required(oneOf(SANDBOX_KINDS)), user: required(text({})) };

export const ACCESS_BODY = { ...PERSON, action: required(oneOf(['revoke', 'demand_consent'])) };

/** A user of an application, or a person at a provider. */
export const CURSORS_BODY = {
  client_id: text({}),
  user_id: text({}),
  provider: oneOf(SANDBOX_KINDS),
  user: text({}),
};

const TURN = 'must be milliseconds or an ISO 8601 duration such as PT1H or P7D, at most 100 years';

/** `turn` is milliseconds, or a duration of ISO 8601 (`P7D`, `PT1H`). */
export const CLOCK_BODY = {
  turn: parsed((value) => (typeof value === 'number' || typeof value === 'string' ? value : undefined), {
    problem: TURN,
    schema: { type: ['number', 'string'] },
  }),
  reset: flag(),
};

/** Fails as ApiError naming the field that the effect lacks. */
export function faultOf({ provider, operation, user, times, skip, effect }: FaultBody): Fault {
  return {
    provider,
    effect: effectOf(effect),
    ...(operation === undefined ? {} : { operation }),
    ...(user === undefined ? {} : { user }),
    ...(times === undefined ? {} : { times }),
    ...(skip === undefined ? {} : { skip }),
  };
}

function effectOf({ kind, ms, status, reason, retryAfter }: FaultBody['effect']): FaultEffect {
  if (kind === 'latency') {
    if (ms === undefined) throw invalid('effect', 'effect.ms is missing: how many milliseconds to wait');
    return { kind, ms };
  }
  if (kind !== 'status') return { kind };
  if (status === undefined) throw invalid('effect', 'effect.status is missing: which status to answer');
  return {
    kind,
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

/** The maximum turn of the clock: nothing in a sandbox lies further ahead. */
const MOST_TURN_MS = 100 * 366 * 86_400_000;

/** Milliseconds forward, of a number of them or of an ISO 8601 duration counted from `now`. Fails as ApiError. */
export function parseTurn(text: number | string, now: number): number {
  const by = typeof text === 'number' ? text : (durationMs(text, now) ?? Number.NaN);
  if (!(by > 0 && by <= MOST_TURN_MS)) {
    throw invalid('turn', `turn ${TURN}`);
  }
  return Math.round(by);
}

function durationMs(text: string, now: number): number | undefined {
  try {
    const relativeTo = Temporal.Instant.fromEpochMilliseconds(Math.floor(now)).toZonedDateTimeISO('UTC');
    return Temporal.Duration.from(text.trim()).total({ unit: 'milliseconds', relativeTo });
  } catch (error) {
    // Temporal throws this for text that is not a duration, and for a duration out of its range.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export function invalid(field: string, message: string): ApiError {
  return new ApiError(ANY_CALL.invalid_request, { message, field });
}
