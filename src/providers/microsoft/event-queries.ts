/**
 * What this adapter takes for granted of Microsoft Graph. (k) marks general knowledge that nothing published
 * confirms: when a real account shows otherwise, this is the place to correct.
 */

/** Sent with every request: instants in UTC, plain text, and ids that outlive a move to another folder. */
export const PREFERENCES: readonly string[] = [
  'outlook.timezone="UTC"',
  'outlook.body-content-type="text"',
  'IdType="ImmutableId"',
];

/** Events on a page of a listing; (k) Graph gives up to 1,000, but bodies can be long. */
export const EVENTS_PER_PAGE = 100;
/** The same where only ids and versions are asked for. */
export const VERSIONS_PER_PAGE = 1000;
/** (k) A delta takes no `$top`, and without this preference gives ten items at a time. */
export const ITEMS_PER_DELTA_PAGE = 200;
/** A page of long invitations is larger than most answers. */
export const MOST_BYTES = 30_000_000;
/** A listing that has not ended by then never does. */
export const MOST_PAGES = 20_000;

const DAY_MS = 24 * 3600 * 1000;
/** The window of the change hint: calendarView's delta knows no other. */
export const WINDOW_BEFORE_MS = 365 * DAY_MS;
export const WINDOW_AFTER_MS = 2 * 365 * DAY_MS;
/** After that long the window is drawn anew around the present. */
export const WINDOW_ROLLS_MS = 30 * DAY_MS;
/** A window that Graph cannot answer in time (504) is halved, but not below this. */
export const SHORTEST_WINDOW_MS = 14 * DAY_MS;
/** How often ids and versions of everything are compared, for what lies outside of the window. */
export const COMPARED_EVERY_MS = DAY_MS;

/** A Windows zone that came with rules of its own, which Graph does not tell. */
export const CUSTOM_ZONE = 'tzone://Microsoft/Custom';

/** What an application keeps with an event: a named property (MAPI), JSON. The GUID is ours alone. */
export const CUSTOM_PROPERTY = 'String {5f0e3c1a-8d9b-4c57-9a43-7b6d2c1e90af} Name kalends';

/** The same for a meeting's address that Outlook knows nothing of. */
export const CONFERENCE_PROPERTY = 'String {5f0e3c1a-8d9b-4c57-9a43-7b6d2c1e90af} Name kalends-conference';

/** (k) Characters of a named property that Graph surely takes and answers whole. */
export const MOST_CUSTOM = 32_000;
/** (k) The most that a pattern's `interval` and a range's `numberOfOccurrences` may say. */
export const MOST_INTERVAL = 999;
export const MOST_OCCURRENCES = 999;

const BASIC_PROPERTIES: readonly string[] = [
  'id',
  'changeKey',
  'type',
  'iCalUId',
  'subject',
  'start',
  'end',
  'isAllDay',
  'isCancelled',
  'originalStart',
  'originalStartTimeZone',
  'originalEndTimeZone',
  'recurrence',
  'seriesMasterId',
  'showAs',
  'sensitivity',
  'lastModifiedDateTime',
];

const READ_PROPERTIES: readonly string[] = [
  ...BASIC_PROPERTIES,
  'createdDateTime',
  'body',
  'location',
  'locations',
  'organizer',
  'isOrganizer',
  'attendees',
  'responseStatus',
  'responseRequested',
  'categories',
  'importance',
  'isOnlineMeeting',
  'onlineMeeting',
  'onlineMeetingProvider',
  'onlineMeetingUrl',
  'webLink',
  'hasAttachments',
  'isReminderOn',
  'reminderMinutesBeforeStart',
  'transactionId',
  'singleValueExtendedProperties',
];

/** What is asked of every event. (k) Calendars.ReadBasic refuses bodies, people and extended properties. */
export function eventQuery(basic: boolean): string {
  if (basic) return `$select=${BASIC_PROPERTIES}`;
  return `$select=${READ_PROPERTIES}&$expand=${CUSTOM_EXPANSION}`;
}

/**
 * The same for a series by its id, with the occurrences that differ from its rule: published for v1.0 as "returned
 * only on $select and $expand in a GET operation that specifies the ID" of a master. The alternative, `instances`,
 * needs a window and does not show what was deleted.
 */
export function seriesQuery(basic: boolean): string {
  const properties = [
    ...(basic ? BASIC_PROPERTIES : READ_PROPERTIES),
    'occurrenceId',
    'exceptionOccurrences',
    'cancelledOccurrences',
  ];
  const expansions = ['exceptionOccurrences', ...(basic ? [] : [CUSTOM_EXPANSION])];
  return `$select=${properties.join(',')}&$expand=${expansions.join(',')}`;
}

/** Of the instances of a series in a window, which take no expansion. */
export const instanceQuery = `$select=${[...READ_PROPERTIES, 'occurrenceId'].join(',')}&$top=${EVENTS_PER_PAGE}`;

/** What may be told of a calendar before it is written to. */
export const CALENDAR_QUERY =
  '$select=canEdit,owner,allowedOnlineMeetingProviders,defaultOnlineMeetingProvider';

const CUSTOM_EXPANSION = `singleValueExtendedProperties($filter=id eq '${CUSTOM_PROPERTY}' or id eq '${CONFERENCE_PROPERTY}')`;

/**
 * The day by the rule that an occurrence id names, `OID.{id of the master}.2026-11-18`; (k) in the zone of the
 * series.
 */
export const dayOfOccurrence = (occurrenceId: string): string | undefined =>
  /\.(\d{4}-\d\d-\d\d)$/.exec(occurrenceId)?.[1];

/** What `If-Match` is compared with, of a `changeKey`. (k) Events show the one within the other. */
export const etagOfChangeKey = (changeKey: string): string => `W/"${changeKey}"`;
