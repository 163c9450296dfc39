/** The body of a write: the writable fields of Graph's `event`, as its reference lists them. */
import { type Static, type TProperties, Type } from 'typebox';
import { Value } from 'typebox/value';

import { isJsonObject } from '../core/json-object.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';

const optional = <T extends TProperties[string]>(type: T) => Type.Optional(Type.Union([type, Type.Null()]));
const text = () => optional(Type.String());
const oneOf = <T extends string[]>(...names: T) => Type.Enum<T>([...names]);

const EmailAddress = Type.Object({ address: text(), name: text() });
const DayOfWeek = oneOf('sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday');
const Time = Type.Object({ dateTime: Type.String(), timeZone: text() });
/** A place; its other fields are stored as written. */
const Place = Type.Object({ displayName: text() });
const Recurrence = Type.Object({
  pattern: Type.Object({
    type: oneOf('daily', 'weekly', 'absoluteMonthly', 'relativeMonthly', 'absoluteYearly', 'relativeYearly'),
    interval: Type.Optional(Type.Number()),
    month: Type.Optional(Type.Number()),
    dayOfMonth: Type.Optional(Type.Number()),
    daysOfWeek: optional(Type.Array(DayOfWeek)),
    firstDayOfWeek: optional(DayOfWeek),
    index: optional(oneOf('first', 'second', 'third', 'fourth', 'last')),
  }),
  range: Type.Object({
    type: oneOf('endDate', 'noEnd', 'numbered'),
    startDate: Type.String(),
    endDate: text(),
    recurrenceTimeZone: text(),
    numberOfOccurrences: Type.Optional(Type.Number()),
  }),
});

export const EventBody = Type.Object({
  allowNewTimeProposals: optional(Type.Boolean()),
  attendees: optional(
    Type.Array(
      Type.Object({ emailAddress: EmailAddress, type: optional(oneOf('required', 'optional', 'resource')) }),
    ),
  ),
  body: optional(Type.Object({ content: text(), contentType: optional(oneOf('text', 'html')) })),
  categories: optional(Type.Array(Type.String())),
  end: Type.Optional(Time),
  hideAttendees: optional(Type.Boolean()),
  importance: optional(oneOf('low', 'normal', 'high')),
  isAllDay: optional(Type.Boolean()),
  isOnlineMeeting: optional(Type.Boolean()),
  isReminderOn: optional(Type.Boolean()),
  location: optional(Place),
  locations: optional(Type.Array(Place)),
  onlineMeetingProvider: optional(
    oneOf('unknown', 'teamsForBusiness', 'skypeForBusiness', 'skypeForConsumer'),
  ),
  recurrence: optional(Recurrence),
  reminderMinutesBeforeStart: optional(Type.Integer()),
  responseRequested: optional(Type.Boolean()),
  sensitivity: optional(oneOf('normal', 'personal', 'private', 'confidential')),
  showAs: optional(oneOf('free', 'tentative', 'busy', 'oof', 'workingElsewhere', 'unknown')),
  singleValueExtendedProperties: optional(
    Type.Array(Type.Object({ id: Type.String(), value: Type.String() })),
  ),
  start: Type.Optional(Time),
  subject: text(),
  transactionId: text(),
});
export type EventBody = Static<typeof EventBody>;

/** The read-only fields: Graph accepts them in a body and ignores them. */
const READ_ONLY = new Set([
  'bodyPreview',
  'cancelledOccurrences',
  'changeKey',
  'createdDateTime',
  'hasAttachments',
  'iCalUId',
  'id',
  'isCancelled',
  'isDraft',
  'isOrganizer',
  'lastModifiedDateTime',
  'onlineMeeting',
  'onlineMeetingUrl',
  'organizer',
  'originalEndTimeZone',
  'originalStart',
  'originalStartTimeZone',
  'responseStatus',
  'seriesMasterId',
  'type',
  'webLink',
]);

/** Reads the body of a create or update. Throws a 400 that names the field. */
export function readEventBody(body: unknown): EventBody {
  if (!isJsonObject(body)) {
    throw new SandboxRefusal(400, 'RequestBodyRead', 'The request body must be an object.');
  }
  const writable = Object.fromEntries(
    Object.entries(body).filter(([name]) => !READ_ONLY.has(name) && !name.includes('@odata.')),
  );
  const unknown = Object.keys(writable).find((name) => !(name in EventBody.properties));
  if (unknown !== undefined) {
    throw new SandboxRefusal(
      400,
      'RequestBodyRead',
      `The property '${unknown}' does not exist on type 'microsoft.graph.event'. Make sure to only use property names that are defined by the type.`,
    );
  }
  if (Value.Check(EventBody, writable)) return writable;
  const [problem] = Value.Errors(EventBody, writable);
  const where = problem?.instancePath.slice(1).replaceAll('/', '.') ?? '';
  throw new SandboxRefusal(
    400,
    'RequestBodyRead',
    `Cannot read the value of the property '${where}': ${problem?.message ?? 'unreadable'}.`,
  );
}
