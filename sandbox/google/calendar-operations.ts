/** calendarList.list, get and patch, and calendars.get, insert, patch and delete. */
import type { calendar_v3 } from '@googleapis/calendar';

import { ianaZone } from '../../src/lib/recurrence/zone.ts';
import { hasEffect } from '../core/faults.ts';
import type { JsonObject } from '../core/json-object.ts';
import { jsonAnswer } from '../core/page-answer.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { type ApiContext, calendarNamed, calendarOf } from './api-context.ts';
import { etagOf } from './event-view.ts';
import {
  ACCESS_ROLES,
  addCalendar,
  type GoogleCalendar,
  type ListEntry,
  putEntry,
  removeCalendar,
} from './google-store.ts';
import { fullSyncRequired, readPageToken, readSyncToken, tokenText } from './page-tokens.ts';
import { flag, jsonBody, pageSize, parametersOf, withFaults } from './query.ts';

const ROLE_NAMES: readonly string[] = ACCESS_ROLES;

export function listCalendars(context: ApiContext): SandboxAnswer {
  const { person, query, effects } = context;
  const subject = `list ${person.email}`;
  const parameters = parametersOf(query);
  const sync = query.get('syncToken');
  if (sync !== null && hasEffect(effects, 'token_forgotten')) throw fullSyncRequired();
  const { tokenEpoch: epoch } = person;
  if (sync !== null && (query.has('minAccessRole') || flag(query, 'showDeleted') === false)) {
    throw new SandboxRefusal(400, 'badRequest', 'Sync token cannot be used with these query restrictions.');
  }
  const since =
    sync === null ? undefined : readSyncToken(sync, { of: subject, epoch, parameters: '' }).version;
  const pageText = query.get('pageToken');
  const page = pageText === null ? undefined : readPageToken(pageText, { of: subject, parameters });
  const version = page?.version ?? person.version;
  const rest = listedEntries(context, since).filter(({ calendarId }) => calendarId > (page?.after ?? ''));
  const entries = rest.slice(0, pageSize(query, 100, 250));
  const last = entries.at(-1);
  const next: calendar_v3.Schema$CalendarList =
    last !== undefined && entries.length < rest.length
      ? {
          nextPageToken: tokenText({
            kind: 'page',
            of: subject,
            after: last.calendarId,
            version,
            parameters,
          }),
        }
      : query.has('minAccessRole')
        ? {}
        : {
            nextSyncToken: tokenText({
              kind: 'sync',
              of: subject,
              epoch,
              version,
              parameters: '',
              window: [null, null],
            }),
          };
  const items = withFaults(
    entries.map((entry) => entryView(context, entry)),
    effects,
  );
  return jsonAnswer(200, { kind: 'calendar#calendarList', etag: etagOf(person), ...next, items });
}

function listedEntries({ person, query }: ApiContext, since: number | undefined): ListEntry[] {
  const least = query.get('minAccessRole');
  const rank = least === null ? 0 : ROLE_NAMES.indexOf(least);
  if (rank < 0) throw new SandboxRefusal(400, 'invalidParameter', 'Invalid value for minAccessRole.');
  const showDeleted = since !== undefined || (flag(query, 'showDeleted') ?? false);
  return [...person.list.values()]
    .filter(({ version, deleted }) => (since === undefined || version > since) && (showDeleted || !deleted))
    .filter(({ role }) => ROLE_NAMES.indexOf(role) >= rank)
    .sort((a, b) => (a.calendarId < b.calendarId ? -1 : 1));
}

function entryView(
  { store, person, meets }: ApiContext,
  entry: ListEntry,
): calendar_v3.Schema$CalendarListEntry {
  const { calendarId: id, role, color } = entry;
  const calendar = store.calendars.get(id);
  const head = { kind: 'calendar#calendarListEntry', etag: etagOf(entry), id };
  if (entry.deleted || calendar === undefined) return { ...head, deleted: true };
  return {
    ...head,
    summary: calendar.title,
    ...(calendar.description === undefined ? {} : { description: calendar.description }),
    timeZone: calendar.timeZone,
    accessRole: role,
    backgroundColor: color,
    foregroundColor: '#000000',
    colorId: '14',
    selected: true,
    ...(id === person.email ? { primary: true } : { dataOwner: calendar.dataOwner }),
    defaultReminders: role === 'owner' ? [{ method: 'popup', minutes: 10 }] : [],
    conferenceProperties: { allowedConferenceSolutionTypes: [...meets.behaviour.conferenceSolutions] },
  };
}

export function getEntry(context: ApiContext): SandboxAnswer {
  const { entry } = calendarOf(context);
  return jsonAnswer(200, entryView(context, entry));
}

/** Patches only the color of a list entry: in RGB, if `colorRgbFormat` is set. */
export function patchEntry(context: ApiContext): SandboxAnswer {
  const { person, query, body, channels } = context;
  const { entry } = calendarOf(context);
  const { backgroundColor } = jsonBody(body);
  if (backgroundColor !== undefined && flag(query, 'colorRgbFormat') === true) {
    if (typeof backgroundColor !== 'string' || !/^#[\da-f]{6}$/i.test(backgroundColor))
      throw new SandboxRefusal(400, 'invalid', 'Invalid value for: backgroundColor');
    putEntry(person, entry.calendarId, { ...entry, color: backgroundColor });
    channels.changed(`list ${person.email}`);
  }
  return getEntry(context);
}

export function getCalendar(context: ApiContext): SandboxAnswer {
  return answerCalendar(calendarOf(context).calendar);
}

export function insertCalendar(context: ApiContext): SandboxAnswer {
  const { store, person, body, channels } = context;
  const { summary, description, timeZone } = readCalendar(jsonBody(body));
  if (!summary) throw new SandboxRefusal(400, 'required', 'Missing title.');
  const calendar = addCalendar(store, person, { title: summary, description, timeZone: timeZone ?? 'UTC' });
  channels.changed(`list ${person.email}`);
  return answerCalendar(calendar);
}

export function patchCalendar(context: ApiContext): SandboxAnswer {
  const { calendar, entry } = requireOwnedCalendar(context);
  const { summary, description, timeZone } = readCalendar(jsonBody(context.body));
  calendar.title = summary ?? calendar.title;
  calendar.description = description ?? calendar.description;
  calendar.timeZone = timeZone ?? calendar.timeZone;
  putEntry(context.person, calendar.id, entry);
  context.channels.changed(`list ${context.person.email}`);
  return answerCalendar(calendar);
}

export function deleteCalendar(context: ApiContext): SandboxAnswer {
  const { calendar } = requireOwnedCalendar(context);
  if (calendar.id === context.person.email) {
    throw new SandboxRefusal(403, 'forbidden', 'The primary calendar of a user cannot be deleted.');
  }
  if (calendar.dataOwner !== context.person.email)
    throw new SandboxRefusal(403, 'forbidden', 'Only the data owner can delete the calendar.');
  removeCalendar(context.store, calendar.id);
  context.channels.changed(`list ${context.person.email}`);
  return { status: 204 };
}

function requireOwnedCalendar({ store, person, params }: ApiContext) {
  const open = calendarNamed(store, person, params.calendarId ?? '');
  if (open.entry.role === 'owner') return open;
  throw new SandboxRefusal(403, 'forbidden', 'Forbidden');
}

function readCalendar({ summary, description, timeZone }: JsonObject) {
  const text = (value: unknown, name: string) => {
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw new SandboxRefusal(400, 'invalid', `Invalid value for: ${name}`);
    return value;
  };
  const zone = text(timeZone, 'timeZone');
  if (zone !== undefined && ianaZone(zone) === undefined) {
    throw new SandboxRefusal(400, 'invalid', 'Invalid time zone.');
  }
  return { summary: text(summary, 'summary'), description: text(description, 'description'), timeZone: zone };
}

function answerCalendar(calendar: GoogleCalendar): SandboxAnswer {
  const { id, title, description, timeZone, dataOwner } = calendar;
  const resource: calendar_v3.Schema$Calendar = {
    kind: 'calendar#calendar',
    etag: etagOf(calendar),
    id,
    summary: title,
    timeZone,
    ...(/@group\./.test(id) ? { dataOwner } : {}),
    ...(description === undefined ? {} : { description }),
    conferenceProperties: { allowedConferenceSolutionTypes: ['hangoutsMeet'] },
  };
  return jsonAnswer(200, resource);
}
