/** PUT and DELETE of calendar objects (RFC 4791 §5.3.2), and creating and deleting calendars (§5.3.1). */
import { type Component, parseComponents, parseProperties } from '../../src/lib/icalendar/component.ts';
import { ICalendarError } from '../../src/lib/icalendar/icalendar-error.ts';
import { caldav, dav } from '../../src/providers/caldav/dav/dav-names.ts';
import { child, type XmlElement } from '../../src/providers/caldav/dav/xml.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { CalendarCollection, type CalendarObject } from './collection.ts';
import { failedCondition, innerXml } from './dav-answer.ts';
import type { DavContext } from './dav-context.ts';
import { isLive } from './live-properties.ts';
import type { DavResource, Vacancy } from './resource-tree.ts';

export type Conditions = {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** If-Schedule-Tag-Match, RFC 6638 §8.3. */
  readonly ifScheduleTagMatch: string | undefined;
};
type Target = DavResource | Vacancy | undefined;

/** Creates or replaces one object; returns its etag. */
export function putObject(
  target: Target,
  { icalendar, ...conditions }: Conditions & { readonly icalendar: string },
  context: DavContext,
): SandboxAnswer {
  if (target?.type !== 'object' && target?.type !== 'no object')
    throw failedCondition(409, 'c:calendar-collection-location-ok', 'Objects are put into calendars');
  const { calendar, account } = target;
  const before = target.type === 'object' ? target.object : undefined;
  checkConditions(before, conditions);
  if (calendar.readOnly) throw failedCondition(403, 'd:need-privileges', 'This calendar is read only');
  const uid = checkedUid(icalendar, calendar, context);
  const others = context.behaviour.allowsUidTwice ? [calendar] : [...account.calendars.values()];
  const holder = others.map((other) => other.objectOfUid(uid)).find((other) => other !== undefined);
  if (holder !== undefined && holder !== before)
    throw failedCondition(403, 'c:no-uid-conflict', 'Another object has this UID');
  const name = target.type === 'object' ? target.object.name : target.name;
  const change = { account, before: before?.icalendar, after: icalendar };
  const text = context.scheduling?.write(change) ?? icalendar;
  const { etag, scheduleTag } = calendar.put(name, uid, text);
  // RFC 4791 §5.3.4: an etag would say that the object is stored exactly as sent.
  const headers = {
    ...(text === icalendar ? { etag } : {}),
    ...(context.scheduling === undefined ? {} : { 'schedule-tag': scheduleTag }),
  };
  return { status: before === undefined ? 201 : 204, headers };
}

/** Deletes a resource. `isSilent`: no one is notified that a guest removed the event. */
export function deleteResource(
  target: Target,
  { isSilent, ...conditions }: Conditions & { readonly isSilent: boolean },
  { scheduling }: Pick<DavContext, 'scheduling'>,
): SandboxAnswer {
  if (target?.type === 'object') {
    const { account, calendar, object } = target;
    checkConditions(object, conditions);
    if (calendar.readOnly) throw failedCondition(403, 'd:need-privileges', 'This calendar is read only');
    if (calendar !== account.inbox)
      scheduling?.write({ account, before: object.icalendar, after: undefined, isSilent });
    calendar.remove(object.name);
  } else if (target?.type === 'calendar') target.account.calendars.delete(target.calendar.name);
  else if (target === undefined || target.type === 'no object' || target.type === 'no calendar')
    throw new SandboxRefusal(404, 'not target', 'Nothing is there');
  else throw failedCondition(403, 'd:need-privileges', 'This cannot be deleted');
  return { status: 204 };
}

/** RFC 9110 §13.1: an etag, several, or any. */
function checkConditions(
  before: CalendarObject | undefined,
  { ifMatch, ifNoneMatch, ifScheduleTagMatch }: Conditions,
): void {
  const names = (header: string) =>
    before !== undefined &&
    (header.trim() === '*' || header.split(',').some((etag) => etag.trim() === before.etag));
  if ((ifMatch !== undefined && !names(ifMatch)) || (ifNoneMatch !== undefined && names(ifNoneMatch)))
    throw new SandboxRefusal(412, 'precondition failed', 'It was changed in the meantime');
  if (ifScheduleTagMatch !== undefined && ifScheduleTagMatch.trim() !== before?.scheduleTag)
    throw new SandboxRefusal(412, 'precondition failed', 'It was changed in the meantime');
}

/** The one UID of an object that may be in this calendar (RFC 4791 §4.1). */
function checkedUid(icalendar: string, calendar: CalendarCollection, { behaviour }: DavContext): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what XML cannot carry cannot be reported.
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f]/.test(icalendar)) throw invalid('it has control characters');
  const components = componentsOf(icalendar).filter(({ name }) => name !== 'VTIMEZONE');
  const names = new Set(components.map(({ name }) => name));
  const [name] = names;
  if (name === undefined || names.size > 1)
    throw failedCondition(403, 'c:valid-calendar-object-resource', 'An object is of one kind of component');
  if (!calendar.components.includes(name))
    throw failedCondition(403, 'c:supported-calendar-component', `This calendar takes no ${name}`);
  const uids = new Set(
    components.map((component) => parseProperties(component).get('UID')?.[0]?.value.trim()),
  );
  const [uid] = uids;
  if (uid === undefined || uid === '' || uids.size > 1)
    throw failedCondition(403, 'c:valid-calendar-object-resource', 'An object has one UID');
  const isBare = (component: Component) => {
    const properties = parseProperties(component);
    return component.name === 'VEVENT' && !properties.has('DTEND') && !properties.has('DURATION');
  };
  if (!behaviour.allowsStartAlone && components.some(isBare)) throw invalid('an event has no end');
  return uid;
}

function componentsOf(icalendar: string): readonly Component[] {
  try {
    return parseComponents(icalendar).flatMap(({ components }) => components);
  } catch (error) {
    if (!(error instanceof ICalendarError)) throw error;
    throw invalid(error.message);
  }
}

const invalid = (why: string): SandboxRefusal =>
  failedCondition(403, 'c:valid-calendar-data', `The calendar data is refused: ${why}`);

/** MKCALENDAR, or extended MKCOL of a calendar (RFC 5689). */
export function makeCalendar(target: Target, body: XmlElement | undefined): SandboxAnswer {
  if (target?.type === 'calendar' || target?.type === 'box')
    throw failedCondition(403, 'd:resource-must-be-null', 'Something is there already');
  if (target?.type !== 'no calendar')
    throw failedCondition(403, 'c:calendar-collection-location-ok', 'Calendars are made in a calendar home');
  const set = (body?.children ?? []).flatMap((part) => child(part, dav('prop'))?.children ?? []);
  const components = set
    .filter(({ name }) => name === caldav('supported-calendar-component-set'))
    .flatMap(({ children }) => children.map(({ attributes }) => attributes.name?.toUpperCase() ?? ''));
  const properties = new Map(
    set.filter(({ name }) => !isLive(name)).map((property) => [property.name, innerXml(property)]),
  );
  const { account, name } = target;
  const calendar = new CalendarCollection({
    name,
    components: components.length === 0 ? ['VEVENT', 'VTODO'] : components,
    readOnly: false,
    properties,
    newTag: account.newTag,
  });
  account.calendars.set(name, calendar);
  return { status: 201 };
}
