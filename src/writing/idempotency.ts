/**
 * Idempotency-Key for POSTs of the calendar and administration APIs: a repetition within a day gets the same response, and
 * its object exists once, whatever happened to the first attempt. OAuth endpoints ignore the key.
 */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readMembers, text } from '../http/fields.ts';
import { ApiError, errorTable } from '../http/refusal.ts';
import { LEASE_MS } from '../sync/lease.ts';
import type {
  Claim,
  RepeatableRequest,
  Repeated,
  RepeatedRequests,
  WriteAnswer,
} from './idempotency-store.ts';

/** The errors of an Idempotency-Key. */
export const IDEMPOTENCY = errorTable({
  idempotency_key_in_use: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still running',
    when: 'The first request with this key is still running.',
    fix: 'Repeat the request after a few seconds.',
    retryAfter: 2,
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used for another request: use a new one',
    when: 'The key was used for another request.',
    fix: 'Use a new key for each write.',
  },
});

/** The error of a change whose response cannot be created again. */
export const RESPONSE_LOST = errorTable({
  response_lost: {
    status: 409,
    message:
      'The first request with this Idempotency-Key made a change, but its response is lost: look at the list before you use a new key',
    when: 'The first request with this `Idempotency-Key` made a change, and the server ended before it could store the response.',
    fix: 'Read the list to see the change. If you need a secret that was in the response, rotate it with a new key.',
  },
});

/** The life of a stored response, in milliseconds. */
const ANSWER_LIFE_MS = 24 * 3_600_000;
const POLL_MS = 50;
/** Published clients time out after 30 s. */
const WAIT_MS = 10_000;

export const IDEMPOTENCY_KEY = {
  'Idempotency-Key': text({
    max: 255,
    allowsControls: true,
    doc: 'Requests with the same key and body within 24 hours run once and get the same response.',
    example: '5b1f3d0e-7c1a-4a52-9d50-0d6a3c1f9b11',
  }),
};

export type IdempotencyDeps<Request = RepeatableRequest, Answer = WriteAnswer> = {
  readonly idempotency: RepeatedRequests<Request, Answer>;
  readonly now: () => number;
  /** The maximum wait of a repetition for the first attempt, in milliseconds; the documented one by default. */
  readonly repeatBound?: number;
};

export type Repeatable<Owner> = {
  readonly owner: Owner;
  /** The header's value. Without it, every request is executed. */
  readonly key: string | undefined;
  readonly operation: string;
  readonly body: unknown;
};

/**
 * Executes the request or returns its previous response. `carryOut` gets the claim, if there is a key. Throws 400, 422 for
 * another request, 409 during the first, and 409 if it made a change whose response was not stored.
 */
export async function executeOnce<Owner extends object, Answer extends { readonly body: string }>(
  request: Repeatable<Owner>,
  carryOut: (seed: string, claim?: Repeated<Owner> & { readonly holder: string }) => Promise<Answer>,
  deps: IdempotencyDeps<Repeated<Owner>, Answer>,
): Promise<string> {
  const repeatable = toRepeated(request);
  if (repeatable === undefined) return (await carryOut(newSeed())).body;
  const holder = randomUUID();
  const claim = await claimInTime(repeatable, holder, deps);
  if (claim.state === 'answered') return claim.answer;
  if (claim.state === 'other_request') throw new ApiError(IDEMPOTENCY.idempotency_key_reused);
  if (claim.state === 'under_way') throw new ApiError(IDEMPOTENCY.idempotency_key_in_use);
  if (claim.state === 'lost') throw new ApiError(RESPONSE_LOST.response_lost);
  try {
    const answer = await carryOut(claim.seed, { ...repeatable, holder });
    await deps.idempotency.keepAnswer(repeatable, holder, answer);
    return answer.body;
  } catch (reason) {
    // An error response means no change. Otherwise the result is unknown, and the next attempt uses the same seed.
    if (isRefused(reason)) await deps.idempotency.forget(repeatable, holder);
    else await deps.idempotency.release(repeatable, holder);
    throw reason;
  }
}

const isRefused = (reason: unknown): boolean =>
  reason instanceof ApiError && reason.status < 500 && reason.status !== 409 && reason.status !== 429;

async function claimInTime<Request, Answer>(
  request: Request,
  holder: string,
  { idempotency, now, repeatBound = WAIT_MS }: IdempotencyDeps<Request, Answer>,
): Promise<Claim> {
  const deadline = performance.now() + repeatBound;
  for (;;) {
    const at = now();
    const terms = {
      holder,
      seed: newSeed(),
      now: at,
      until: at + LEASE_MS,
      forgottenAt: at - ANSWER_LIFE_MS,
    };
    const claim = await idempotency.claim(request, terms);
    if (claim.state !== 'under_way' || performance.now() >= deadline) return claim;
    await sleep(POLL_MS);
  }
}

function toRepeated<Owner>({ owner, operation, body, ...sent }: Repeatable<Owner>) {
  const { 'Idempotency-Key': key } = readMembers({ 'Idempotency-Key': sent.key }, IDEMPOTENCY_KEY);
  if (key === undefined) return undefined;
  const requestHash = hash('sha256', `${operation} ${JSON.stringify(ordered(body))}`);
  return { ...owner, keyHash: hash('sha256', key), requestHash };
}

const newSeed = (): string => randomBytes(16).toString('hex');

/** Returns the key of a creation at the provider: 32 hex digits, equal for repetitions of a request. */
export const deriveCreationKey = (seed: string): string => hash('sha256', seed).slice(0, 32);

/** Deletes expired responses; returns their number. */
export function deleteOldAnswers({
  idempotency,
  now,
}: {
  readonly idempotency: Pick<RepeatedRequests<never, never>, 'deleteOldRequests'>;
  readonly now: () => number;
}): Promise<number> {
  return idempotency.deleteOldRequests(now() - ANSWER_LIFE_MS);
}

/** Sorts the members, because a repetition may order them differently. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (value instanceof Uint8Array) return hash('sha256', value);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, ordered(member)]));
}
