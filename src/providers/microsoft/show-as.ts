/** `showAs`, in which Outlook keeps both whether an event blocks and whether it is certain. */
import type { FreeBusyStatus } from '@microsoft/microsoft-graph-types';

import type { EventChange } from '../../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../calendars/unsupported.ts';
import type { Current } from './current-event.ts';

/**
 * `undefined` when it says so already: who is out of the office stays so. Fails as `field_not_supported_by_provider` for
 * what one word cannot say, and for a status that Outlook has from elsewhere.
 */
export function shownAs(
  { availability, status }: EventChange,
  current: Current | undefined,
): FreeBusyStatus | undefined {
  if (availability === undefined && status === undefined) return undefined;
  if (status === 'cancelled' && current?.event.status !== 'cancelled')
    throw unsupported('Outlook cancels an event by deleting it', 'status');
  const before = current?.event;
  const wanted = {
    status: status === undefined ? (before?.status ?? 'confirmed') : (status ?? 'confirmed'),
    availability: availability === undefined ? (before?.availability ?? 'busy') : (availability ?? 'busy'),
  };
  if (wanted.status === before?.status && wanted.availability === before.availability) return undefined;
  if (before?.status === 'cancelled')
    throw unsupported('Outlook has no way back from a cancelled event', 'status');
  const answered = current?.item.responseStatus?.response === 'tentativelyAccepted';
  if (answered) return answeredAs(wanted, before);
  if (wanted.status === 'confirmed') return wanted.availability;
  if (wanted.availability === 'busy') return 'tentative';
  throw unsupported(
    'An event of Outlook is either tentative or free',
    availability ? 'availability' : 'status',
  );
}

type Wanted = { readonly status: string; readonly availability: 'busy' | 'free' };

/** An invitation that the user answered with "perhaps" is tentative whatever it is shown as. */
function answeredAs({ status, availability }: Wanted, before: Current['event'] | undefined): FreeBusyStatus {
  if (status === before?.status) return availability;
  throw unsupported('Answer the invitation to change whether it is certain', 'status');
}

const unsupported = (message: string, field: string): UnsupportedByProvider =>
  new UnsupportedByProvider('field_not_supported_by_provider', message, field);
