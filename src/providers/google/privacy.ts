/**
 * At Google an occurrence has the privacy of its series: a stricter `visibility` that is written to one occurrence
 * changes the whole series, a looser one is ignored. So it is never sent for an occurrence.
 */
import type { CalendarEvent } from '../../calendars/event.ts';
import type { EventChange } from '../../calendars/event-writing.ts';
import { unsupportedField } from '../unsupported-field.ts';

type Visible = { readonly visibility?: string | null | undefined };

/** Returns the privacy. `default`, the calendar's visibility, reads as public: the event does not show it. */
export const toPrivacy = ({ visibility }: Visible): CalendarEvent['privacy'] =>
  visibility === 'private' || visibility === 'confidential' ? visibility : 'public';

/** Removes an unchanged privacy from the change of an occurrence. Throws UnsupportedByProvider for another one. */
export function withoutOwnPrivacy({ privacy, ...change }: EventChange, event: Visible): EventChange {
  if (privacy === undefined || (privacy ?? 'public') === toPrivacy(event)) return change;
  throw unsupportedField(
    'privacy',
    'At Google an occurrence has the privacy of its series: use updateMode all',
  );
}

/** Returns whether an exception that was more private than `former` is more private than `series`, where it moves. */
export const wouldPublish = (exception: Visible, former: Visible, series: Visible): boolean =>
  strictness(exception) > Math.max(strictness(former), strictness(series));

/** Returns a rank. `default` may hide an event: a calendar can be shared as busy times only. */
const strictness = (event: Visible): number =>
  toPrivacy(event) !== 'public' ? 2 : event.visibility === 'public' ? 0 : 1;
