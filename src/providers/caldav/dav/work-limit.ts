/** How much processor time the answers of one sync may take (docs/security.md T13); time on the network does not count. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { DavSession } from './dav-client.ts';

/** For each thousand resources that were read, and for the first of them. */
const MS_OF_THOUSAND = 30_000;

export type WorkLimit = {
  /** Counts what was read. Fails as `event_too_complex` when all so far took too long. */
  check(resources: number): void;
};

/** The limit of a sync that begins now. What it brought before it failed is kept, and not read again. */
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
