/** POST to a scheduling outbox (RFC 6638 §5): when others of this server are busy. Nothing else is sent that way. */
import { parseComponents } from '../../src/lib/icalendar/component.ts';
import { parseContentLine } from '../../src/lib/icalendar/content-line.ts';
import { linesNamed } from '../../src/lib/icalendar/edit-lines.ts';
import { ICalendarError } from '../../src/lib/icalendar/icalendar-error.ts';
import { parseInstant } from '../../src/lib/icalendar/time-value.ts';
import { davDocument } from '../../src/providers/caldav/dav/dav-names.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { failedCondition, xmlText } from './dav-answer.ts';
import type { DavContext } from './dav-context.ts';
import { freeBusyText } from './free-busy.ts';
import type { DavResource } from './resource-tree.ts';
import { addressIn, comparable } from './scheduled-object.ts';
import { defaultCalendar } from './scheduling.ts';
import { addressesOf } from './user-address.ts';

export function postToOutbox(resource: DavResource, body: string, context: DavContext): SandboxAnswer {
  if (resource.type !== 'box' || resource.name !== 'outbox' || !context.behaviour.schedules)
    throw new SandboxRefusal(405, 'method not allowed', 'Only an outbox takes messages');
  const { lines, window } = request(body);
  const [organizer = ''] = linesNamed(lines, 'ORGANIZER').map(addressIn);
  const userAddresses = addressesOf(context.account, context.behaviour).map(comparable);
  if (!userAddresses.includes(organizer))
    throw failedCondition(403, 'c:valid-organizer', 'Somebody else asks here');
  const responses = linesNamed(lines, 'ATTENDEE').map((line) => busyResponse(line, window, context));
  const document = davDocument('c:schedule-response', responses.join(''));
  return { status: 200, headers: { 'content-type': 'application/xml; charset=utf-8' }, body: document };
}

type Window = { readonly start: number; readonly end: number };

function request(body: string): { readonly lines: readonly string[]; readonly window: Window } {
  const freeBusy = componentsOf(body).find(({ name }) => name === 'VFREEBUSY');
  const instant = (name: string) => {
    const [line] = linesNamed(freeBusy?.lines ?? [], name);
    return line === undefined ? undefined : parseInstant(parseContentLine(line));
  };
  const [start, end] = [instant('DTSTART'), instant('DTEND')];
  if (
    freeBusy === undefined ||
    start === undefined ||
    end === undefined ||
    !/^METHOD:REQUEST\s*$/im.test(body)
  )
    throw failedCondition(
      403,
      'c:valid-scheduling-message',
      'Busy times are asked for, between two instants',
    );
  return { lines: freeBusy.lines, window: { start, end } };
}

function componentsOf(body: string) {
  try {
    return parseComponents(body).flatMap(({ components }) => components);
  } catch (error) {
    if (!(error instanceof ICalendarError)) throw error;
    throw failedCondition(403, 'c:supported-calendar-data', 'A message is iCalendar');
  }
}

/** §10.2: each guest has a response; one whom the server does not know says so. */
function busyResponse(line: string, window: Window, { accounts, behaviour, now }: DavContext): string {
  const address = addressIn(line);
  const recipient = `<c:recipient><d:href>${xmlText(address)}</d:href></c:recipient>`;
  const status = (text: string) => `<c:request-status>${text}</c:request-status>`;
  const account = accounts.all().find((one) => addressesOf(one, behaviour).map(comparable).includes(address));
  const calendar = account && defaultCalendar(account);
  if (calendar === undefined)
    return `<c:response>${recipient}${status('3.7;Invalid calendar user')}</c:response>`;
  const data = xmlText(freeBusyText(calendar, window, now));
  return `<c:response>${recipient}${status('2.0;Success')}<c:calendar-data>${data}</c:calendar-data></c:response>`;
}
