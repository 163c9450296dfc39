/** The meaning of a provider's error response: the error that is thrown, and its health reason. */
import type { HealthReason } from '../calendars/health-reason.ts';
import {
  ProviderError,
  type ProviderErrorDetail,
  type ProviderErrorKind,
} from '../calendars/provider-error.ts';

export type Meaning = readonly [kind: ProviderErrorKind, message: string, reason?: HealthReason];

type RefusalFacts = {
  readonly cause: unknown;
  /** Milliseconds, if the provider asks to wait. */
  readonly retryAfter?: number | undefined;
  readonly detail?: ProviderErrorDetail | undefined;
};

export function refusalWith(
  [kind, message, reason]: Meaning,
  { cause, retryAfter, detail }: RefusalFacts,
): ProviderError {
  return new ProviderError(kind, message, {
    cause,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(detail === undefined ? {} : { detail }),
  });
}

/** Returns the error for a success whose body cannot be used. */
export const unreadableAnswer = (message: string, cause?: unknown): ProviderError =>
  refusalWith(['invalid_response', message, 'provider_answer_unreadable'], { cause });

/** Returns a table of meanings by the provider's error codes. */
export const meaningsBy = <Key>(
  ...groups: readonly (readonly [Meaning, readonly Key[]])[]
): ReadonlyMap<Key, Meaning> =>
  new Map(groups.flatMap(([meaning, keys]) => keys.map((key) => [key, meaning] as const)));
