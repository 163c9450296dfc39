/**
 * The privacy of events. At Google an occurrence has the privacy of its series: a stricter `visibility` that is
 * written to one occurrence changes the whole series, a looser one is ignored. So it is never sent for an occurrence.
 */
import type { calendar_v3 } from '@googleapis/calendar';

import type { CalendarEvent } from '../../calendars/event.ts';
import type { EventChange } from '../../calendars/event-writing.ts';
import { unsupportedField } from '../unsupported-field.ts';

type Visible = Pick<calendar_v3.Schema$Event, 'visibility'>;

/** `default` is the calendar's own visibility, which an event does not tell. */
export function privacyOf({ visibility }: Visible): CalendarEvent['privacy'] {
  return visibility === 'private' || visibility === 'confidential' ? visibility : 'public';
}

/** Returns the change of one occurrence without a privacy equal to its own. Throws UnsupportedByProvider for another one. */
export function withoutOwnPrivacy({ privacy, ...change }: EventChange, event: Visible): EventChange {
  if (privacy === undefined || (privacy ?? 'public') === privacyOf(event)) return change;
  throw unsupportedField(
    'privacy',
    'At Google an occurrence has the privacy of its series: use updateMode all',
  );
}

/** An exception that was stricter than `former`, its old series, and would have the visibility of `series` from now on. */
export type MovedException = {
  readonly exception: Visible;
  readonly former: Visible;
  readonly series: Visible;
};

/** Whether moving the exception would show its details to more people than before. */
export const wouldPublish = ({ exception, former, series }: MovedException): boolean =>
  isStricter(exception, former) && isStricter(exception, series);

const isStricter = (event: Visible, other: Visible): boolean => strictness(event) > strictness(other);

/** `default` may hide an event: a calendar can be shared as busy times. */
function strictness(event: Visible): number {
  if (privacyOf(event) !== 'public') return 2;
  return event.visibility === 'public' ? 0 : 1;
}
