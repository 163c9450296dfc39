/** Builds the body of an event for Graph. It has only the members that the change names. */
import type {
  FreeBusyStatus,
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
