/**
 * The privacy of events. At Google an occurrence has the privacy of its series: a stricter `visibility` that is
 * written to one occurrence changes the whole series, a looser one is ignored. So it is never sent for an occurrence.
 */
import type { CalendarEvent } from '../../calendars/event.ts';
import type { EventChange } from '../../calendars/event-writing.ts';
import { unsupportedField } from '../unsupported-field.ts';

type Visible = { readonly visibility?: string | null | undefined };

/** `default` is the calendar's own visibility, which an event does not tell. */
export const privacyOf = ({ visibility }: Visible): CalendarEvent['privacy'] =>
  visibility === 'private' || visibility === 'confidential' ? visibility : 'public';

/** Returns the change of one occurrence without a privacy equal to its own. Throws UnsupportedByProvider for another one. */
export function withoutOwnPrivacy({ privacy, ...change }: EventChange, event: Visible): EventChange {
  if (privacy === undefined || (privacy ?? 'public') === privacyOf(event)) return change;
  throw unsupportedField(
    'privacy',
    'At Google an occurrence has the privacy of its series: use updateMode all',
  );
}

/** Whether an exception was more private than its series `former`, and is more private than `series`, where it moves. */
export const wouldPublish = (exception: Visible, former: Visible, series: Visible): boolean =>
  strictness(exception) > Math.max(strictness(former), strictness(series));

/** `default` may hide an event: a calendar can be shared as busy times. */
const strictness = (event: Visible): number =>
  privacyOf(event) !== 'public' ? 2 : event.visibility === 'public' ? 0 : 1;
