/** What a provider's answer means: the refusal that it stands for, and who can mend it. */
import type { HealthReason } from '../calendars/health-reason.ts';
import { ProviderError, type ProviderErrorKind } from '../calendars/provider-error.ts';

export type Meaning = readonly [kind: ProviderErrorKind, message: string, reason?: HealthReason];

/** `retryAfter` in milliseconds, where the provider asks to wait. */
export function refusalWith(
  [kind, message, reason]: Meaning,
  { cause, retryAfter }: { readonly cause: unknown; readonly retryAfter?: number | undefined },
): ProviderError {
  return new ProviderError(kind, message, {
    cause,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** Of an answer that says yes and cannot be used. */
export const unreadableAnswer = (message: string, cause?: unknown): ProviderError =>
  refusalWith(['invalid_response', message, 'provider_answer_unreadable'], { cause });

/** A table of meanings by the provider's words or numbers, from the words that each meaning has. */
export const meaningsBy = <Key>(
  ...groups: readonly (readonly [Meaning, readonly Key[]])[]
): ReadonlyMap<Key, Meaning> =>
  new Map(groups.flatMap(([meaning, keys]) => keys.map((key) => [key, meaning] as const)));
