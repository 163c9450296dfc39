/** The queries to Graph for events and calendars. */
import { KALENDS_PROPERTIES } from './custom-fields.ts';

/** Events on a page. Graph seems to allow 1,000, which no source confirms; but bodies can be long. */
export const EVENTS_PER_PAGE = 100;
/** The same if only ids and versions are requested. */
export const VERSIONS_PER_PAGE = 1000;

const BASIC_PROPERTIES =
  'id,changeKey,type,iCalUId,subject,start,end,isAllDay,isCancelled,originalStart,originalStartTimeZone,' +
  'originalEndTimeZone,recurrence,seriesMasterId,showAs,sensitivity,lastModifiedDateTime,isOrganizer,responseStatus';

const READ_PROPERTIES =
  `${BASIC_PROPERTIES},createdDateTime,body,location,locations,organizer,attendees,responseRequested,` +
  'categories,importance,isOnlineMeeting,onlineMeeting,onlineMeetingProvider,onlineMeetingUrl,' +
  'webLink,hasAttachments,isReminderOn,reminderMinutesBeforeStart,transactionId,allowNewTimeProposals,hideAttendees,' +
  'singleValueExtendedProperties';

/** Returns the query for events. `basic` has what Calendars.ReadBasic permits, which no source says in full. */
export function eventQuery(basic: boolean): string {
  if (basic) return `$select=${BASIC_PROPERTIES}`;
  return `$select=${READ_PROPERTIES}&$expand=${PROPERTY_EXPANSION}`;
}

/**
 * Returns the query for a series and its exceptions: published for v1.0 as "returned only on $select and $expand in a
 * GET operation that specifies the ID" of a master. `instances` needs a window and lacks deletions.
 */
export function seriesQuery(basic: boolean): string {
  const properties = basic ? BASIC_PROPERTIES : READ_PROPERTIES;
  const expansions = ['exceptionOccurrences', ...(basic ? [] : [PROPERTY_EXPANSION])];
  return `$select=${properties},occurrenceId,exceptionOccurrences,cancelledOccurrences&$expand=${expansions}`;
}

/** The query for instances of a series in a window, which allows no expansion. */
export const instanceQuery = `$select=${READ_PROPERTIES},occurrenceId&$top=${EVENTS_PER_PAGE}`;

/** The query for the properties of a calendar that a write depends on. */
export const CALENDAR_QUERY =
  '$select=canEdit,owner,allowedOnlineMeetingProviders,defaultOnlineMeetingProvider';

const PROPERTY_FILTER = KALENDS_PROPERTIES.map((id) => `id eq '${id}'`).join(' or ');
const PROPERTY_EXPANSION = `singleValueExtendedProperties($filter=${PROPERTY_FILTER})`;
