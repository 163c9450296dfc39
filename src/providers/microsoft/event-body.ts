/** Builds the body of an event for Graph. It has only the members that the change names. */
import type {
  Event as GraphEvent,
  OnlineMeetingProviderType,
  Sensitivity,
  SingleValueLegacyExtendedProperty,
} from '@microsoft/microsoft-graph-types';

import type { CalendarEvent } from '../../calendars/event.ts';
import type { EventChange } from '../../calendars/event-writing.ts';
import { unsupportedField } from '../unsupported-field.ts';
import { buildGuestList } from './attendees.ts';
import { toGraphTimes } from './body-times.ts';
import type { Current } from './current-event.ts';
import { conferenceProperty, customProperty } from './custom-fields.ts';
import { chooseShowAs } from './show-as.ts';

export type BodyInput = {
  readonly change: EventChange;
  /** Undefined for a new event. */
  readonly current: Current | undefined;
  readonly organizer: string | undefined;
  /** The kind of online meeting that the calendar allows, if one is to be created. */
  readonly onlineMeetingProvider: OnlineMeetingProviderType | undefined;
};

/** Builds the body without recurrence. Fails with UnsupportedByProvider if Outlook cannot store a value. */
export function buildEventBody({ change, current, organizer, onlineMeetingProvider }: BodyInput): GraphEvent {
  const { title, description, location, privacy, attendees, color, autoConference } = change;
  if (color) throw unsupportedField('color', 'Outlook has colors for categories only, not for events');
  const showAs = chooseShowAs(change, current);
  const properties = buildProperties(change, current);
  return {
    ...(title !== undefined && { subject: title }),
    ...(description !== undefined &&
      !isSame(description, current, 'description') && {
        body: { contentType: 'text', content: description ?? '' },
      }),
    ...(location !== undefined &&
      !isSame(location, current, 'location') && { location: { displayName: location ?? '' } }),
    ...buildTimes(change, current),
    ...(showAs !== undefined && { showAs }),
    ...(privacy !== undefined &&
      privacy !== current?.event.privacy && { sensitivity: SENSITIVITY[privacy ?? 'public'] }),
    ...(attendees !== undefined && {
      attendees: buildGuestList(attendees ?? [], current?.item.attendees, organizer),
    }),
    ...(autoConference === true &&
      onlineMeetingProvider !== undefined && { isOnlineMeeting: true, onlineMeetingProvider }),
    ...(properties.length > 0 && { singleValueExtendedProperties: properties }),
  };
}

/** Returns whether a field is unchanged. Then it is not written, so Outlook keeps text formats and kinds of places. */
const isSame = (
  asked: string | null,
  current: Current | undefined,
  field: 'description' | 'location',
): boolean => current !== undefined && plain(asked) === plain(current.event[field]);

const plain = (text: string | null | undefined): string => (text ?? '').replaceAll('\r\n', '\n').trim();

const SENSITIVITY: Readonly<Record<CalendarEvent['privacy'], Sensitivity>> = {
  public: 'normal',
  private: 'private',
  confidential: 'confidential',
};

/** Returns both times if one changes, so that neither is read in another zone than the other. */
function buildTimes({ start, end }: EventChange, current: Current | undefined): Partial<GraphEvent> {
  if (!start && !end) return {};
  const from = start ?? current?.event.start;
  const to = end ?? current?.event.end;
  return from === undefined || to === undefined ? {} : toGraphTimes(from, to);
}

function buildProperties(
  { custom, conference, autoConference }: EventChange,
  current: Current | undefined,
): SingleValueLegacyExtendedProperty[] {
  if (conference === null && hasOnlineMeeting(current))
    throw unsupportedField('conference', 'Outlook cannot remove an online meeting from an event');
  const link = autoConference === true ? undefined : conference;
  return [
    ...(custom === undefined ? [] : [customProperty(custom)]),
    ...(link === undefined ? [] : [conferenceProperty(link)]),
  ];
}

export const hasOnlineMeeting = (current: Current | undefined): boolean =>
  Boolean(current?.item.onlineMeeting?.joinUrl || current?.item.onlineMeetingUrl);
