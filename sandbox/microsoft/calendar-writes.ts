/** Making, changing and deleting calendars: POST /me/calendars, PATCH and DELETE /me/calendars/{id}. */
import type { CalendarColor } from '@microsoft/microsoft-graph-types';

import { isJsonObject } from '../core/json-object.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { answerCalendar } from './calendar-operations.ts';
import { accessDenied } from './graph-error.ts';
import { type GraphCall, type GraphDeps, jsonBody } from './graph-request.ts';
import { newCalendarId } from './item-id.ts';
import { nextChange, type StoredCalendar } from './mailbox.ts';
import { calendarOf } from './mailbox-store.ts';

/** Graph publishes names of colours only: no source confirms the RGB values. */
const HEX_OF_COLOR: ReadonlyMap<CalendarColor, string> = new Map([
  ['auto', ''],
  ['lightBlue', '#a6d1f5'],
  ['lightGreen', '#87d28e'],
  ['lightOrange', '#fcab73'],
  ['lightGray', '#c0c0c0'],
  ['lightYellow', '#f5f587'],
  ['lightTeal', '#9fdcc9'],
  ['lightPink', '#f5b5e8'],
  ['lightBrown', '#cba287'],
  ['lightRed', '#fcabab'],
  ['maxColor', ''],
]);

export function answerNewCalendar(call: GraphCall): SandboxAnswer {
  const { mailbox } = call.account;
  const { name, color = 'auto' } = readCalendar(call);
  if (name === undefined) throw refused('ErrorInvalidRequest', 'The name of the calendar is missing.');
  const change = nextChange(mailbox);
  const id = newCalendarId();
  const isOf = { canEdit: true, isDefault: false, sharedBy: undefined };
  const nameAndColor = { name, color, hexColor: HEX_OF_COLOR.get(color) ?? '' };
  mailbox.calendars.set(id, {
    id,
    ...isOf,
    ...nameAndColor,
    change,
    events: new Map(),
    eventsChange: change,
  });
  return { ...answerCalendar({ ...call, parts: { calendarId: id } }), status: 201 };
}

export function answerCalendarUpdate(call: GraphCall): SandboxAnswer {
  const { mailbox } = call.account;
  const calendar = editableCalendarOf(call);
  const { name = calendar.name, color } = readCalendar(call, calendar.id);
  const painted = color === undefined ? {} : { color, hexColor: HEX_OF_COLOR.get(color) ?? '' };
  mailbox.calendars.set(calendar.id, { ...calendar, name, ...painted, change: nextChange(mailbox) });
  return answerCalendar(call);
}

/** The default calendar stays; no source confirms the error. */
export function answerCalendarDelete(call: GraphCall, { deltas }: GraphDeps): SandboxAnswer {
  const { id, isDefault } = editableCalendarOf(call);
  if (isDefault)
    throw refused('ErrorCannotDeleteObject', 'The default calendar of the mailbox cannot be deleted.');
  call.account.mailbox.calendars.delete(id);
  deltas.forget(call.account, id);
  return { status: 204 };
}

function editableCalendarOf({ account, parts }: GraphCall): StoredCalendar {
  const calendar = calendarOf(account, parts.calendarId);
  if (calendar.sharedBy !== undefined || !calendar.canEdit) throw accessDenied();
  return calendar;
}

type Named = { readonly name?: string; readonly color?: CalendarColor };

/** Exchange has no two folders of one name in a place. */
function readCalendar({ account, request }: GraphCall, updatedId?: string): Named {
  const body = jsonBody(request);
  if (!isJsonObject(body)) throw refused('BadRequest', 'Unable to read JSON request payload.');
  const { name, color } = body;
  if (name !== undefined && (typeof name !== 'string' || name.trim() === ''))
    throw refused('ErrorInvalidRequest', 'The name of the calendar is not valid.');
  const painted = [...HEX_OF_COLOR.keys()].find((candidate) => candidate === color);
  if (color !== undefined && painted === undefined)
    throw refused('RequestBodyRead', 'Cannot convert the value to the type Edm.calendarColor.');
  const hasNamesake = [...account.mailbox.calendars.values()].some(
    (other) => other.id !== updatedId && other.name.toLowerCase() === name?.toLowerCase(),
  );
  if (hasNamesake)
    throw new SandboxRefusal(409, 'ErrorFolderExists', 'A folder with the specified name already exists.');
  return { ...(name === undefined ? {} : { name }), ...(painted === undefined ? {} : { color: painted }) };
}

const refused = (code: string, message: string): SandboxRefusal => new SandboxRefusal(400, code, message);
