/** `showAs`, which holds both the availability and the status of an event in Outlook. */
import type { FreeBusyStatus } from '@microsoft/microsoft-graph-types';

import type { EventChange } from '../../calendars/event-writing.ts';
import { unsupportedField } from '../unsupported-field.ts';
import type { Current } from './current-event.ts';

/**
 * Returns the `showAs` to write; `undefined` if nothing changes, so that "out of office" stays. Fails as
 * `field_not_supported_by_provider` if one value cannot express both, or if the status is the user's response.
 */
export function chooseShowAs(
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
    throw unsupportedField('status', 'Outlook cannot restore a cancelled event');
  const answered = current?.item.responseStatus?.response === 'tentativelyAccepted';
  if (answered) return chooseAnsweredShowAs(target, before);
  if (target.status === 'confirmed') return target.availability;
  if (target.availability === 'busy') return 'tentative';
  const field = availability ? 'availability' : 'status';
  throw unsupportedField(field, 'An Outlook event cannot be both tentative and free');
}

type Target = { readonly status: string; readonly availability: 'busy' | 'free' };

/** Returns `showAs` for an invitation that the user tentatively accepted: it stays tentative in any case. */
function chooseAnsweredShowAs(
  { status, availability }: Target,
  before: Current['event'] | undefined,
): FreeBusyStatus {
  if (status === before?.status) return availability;
  throw unsupportedField('status', 'Respond to the invitation to change whether it is tentative');
}
