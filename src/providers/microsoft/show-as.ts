/** `showAs`, in which Outlook keeps both whether an event blocks and whether it is certain. */
import type { FreeBusyStatus } from '@microsoft/microsoft-graph-types';

import type { EventChange } from '../../calendars/event-writing.ts';
import { unsupportedField } from '../unsupported-field.ts';
import type { Current } from './current-event.ts';

/**
 * `undefined` when it says so already: who is out of the office stays so. Fails as `field_not_supported_by_provider` for
 * what one word cannot say, and for a status that Outlook has from elsewhere.
 */
export function showAsFor(
  { availability, status }: EventChange,
  current: Current | undefined,
): FreeBusyStatus | undefined {
  if (availability === undefined && status === undefined) return undefined;
  if (status === 'cancelled' && current?.event.status !== 'cancelled')
    throw unsupportedField('status', 'Outlook cancels an event by deleting it');
  const before = current?.event;
  const target = {
    status: status === undefined ? (before?.status ?? 'confirmed') : (status ?? 'confirmed'),
    availability: availability === undefined ? (before?.availability ?? 'busy') : (availability ?? 'busy'),
  };
  if (target.status === before?.status && target.availability === before.availability) return undefined;
  if (before?.status === 'cancelled')
    throw unsupportedField('status', 'Outlook has no way back from a cancelled event');
  const answered = current?.item.responseStatus?.response === 'tentativelyAccepted';
  if (answered) return showAsOfAnswered(target, before);
  if (target.status === 'confirmed') return target.availability;
  if (target.availability === 'busy') return 'tentative';
  const field = availability ? 'availability' : 'status';
  throw unsupportedField(field, 'An event of Outlook is either tentative or free');
}

type Target = { readonly status: string; readonly availability: 'busy' | 'free' };

/** An invitation that the user answered with "perhaps" is tentative whatever it is shown as. */
function showAsOfAnswered(
  { status, availability }: Target,
  before: Current['event'] | undefined,
): FreeBusyStatus {
  if (status === before?.status) return availability;
  throw unsupportedField('status', 'Answer the invitation to change whether it is certain');
}
