/** Limits the processor time for the responses of one sync (docs/security.md T13). Network time does not count. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { DavSession } from './dav-client.ts';

/** For each thousand resources that were read, and at least once. */
const MS_OF_THOUSAND = 30_000;

export type WorkLimit = {
  /** Counts resources. Fails for the reason `event_too_complex` if all so far took too long. */
  check(resources: number): void;
};

/** Returns the limit of a sync that begins now. Parts that were stored before a failure are not read again. */
export function workLimit({ reading }: Pick<DavSession, 'reading'>): WorkLimit {
  const before = reading.spentMs();
  let count = 0;
  return {
    check(resources) {
      count += resources;
      if (reading.spentMs() - before <= MS_OF_THOUSAND * Math.max(1, Math.ceil(count / 1000))) return;
      const message = 'The events of this calendar take too long to read';
      throw new ProviderError('invalid_response', message, { reason: 'event_too_complex' });
    },
  };
}
