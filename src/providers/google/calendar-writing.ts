/**
 * Creates, changes and deletes calendars at Google. Title and description belong to the calendar (Calendars), the color
 * to the user's list (CalendarList). Both need permissions that are not requested by default, so they are checked
 * before anything is sent.
 */
import type { calendar_v3 } from '@googleapis/calendar';

import type { CalendarChange, CalendarDraft, CalendarWriting } from '../../calendars/calendar-writing.ts';
import { ProviderError, UnsupportedByProvider } from '../../calendars/provider-error.ts';
import { undefinedIf } from '../expected-failure.ts';
import { text, withoutUndefined } from '../json-value.ts';
import { unsupportedField } from '../unsupported-field.ts';
import type { GoogleApi } from './api.ts';
import { unreadable } from './api-refusal.ts';
import { maySetColors, mayWriteCalendars } from './scopes.ts';

/** `granted` are Google's scopes. */
export function calendarWriting(api: GoogleApi, granted: readonly string[]): CalendarWriting {
  return {
    create: (draft) => create(draft, granted, api),
    async change(calendarHref, change) {
      requirePermission(change, granted);
      const { title, description, color } = change;
      if (title !== undefined || description !== undefined) {
        const body: calendar_v3.Schema$Calendar = withoutUndefined({ summary: title, description });
        await api.write({
          method: 'PATCH',
          operation: 'calendars.patch',
          path: buildCalendarPath(calendarHref),
          body,
        });
      }
      if (color !== undefined) await setColor(calendarHref, color, api);
    },
    async delete(calendarHref) {
      if (!mayWriteCalendars(granted)) throw permissionMissing();
      await undefinedIf('not_found', remove(calendarHref, api)).catch(async (failure: unknown) => {
        const isRefused = failure instanceof UnsupportedByProvider && failure.reason === 'calendar_read_only';
        throw isRefused ? await toNotDeletable(calendarHref, api) : failure;
      });
    },
  };
}

async function create(draft: CalendarDraft, granted: readonly string[], api: GoogleApi): Promise<string> {
  requirePermission(draft, granted);
  const { title, description, timeZone, color } = draft;
  const body: calendar_v3.Schema$Calendar = withoutUndefined({ summary: title, description, timeZone });
  const request = { method: 'POST', operation: 'calendars.insert', path: '/calendars', body } as const;
  const id = text((await api.write<calendar_v3.Schema$Calendar>(request))?.id);
  if (id === undefined) throw unreadable('Google sent a calendar without an id');
  if (color === undefined) return id;
  try {
    await setColor(id, color, api);
  } catch (failure) {
    // All or nothing: a retry would create a second calendar.
    await remove(id, api);
    throw failure;
  }
  return id;
}

const buildCalendarPath = (href: string): string => `/calendars/${encodeURIComponent(href)}`;

async function remove(href: string, api: GoogleApi): Promise<void> {
  await api.write({ method: 'DELETE', operation: 'calendars.delete', path: buildCalendarPath(href) });
}

/** Returns the error for a deletion: only the data owner may delete, not everyone with the role "owner". */
async function toNotDeletable(href: string, api: GoogleApi): Promise<UnsupportedByProvider> {
  const path = `/users/me/calendarList/${encodeURIComponent(href)}`;
  const request = { operation: 'calendarList.get', path };
  const entry = await undefinedIf('not_found', api.get<calendar_v3.Schema$CalendarListEntry>(request));
  const owner = text(entry?.dataOwner);
  const message = `At Google only its data owner${owner === undefined ? '' : `, ${owner},`} can delete this calendar`;
  return new UnsupportedByProvider('calendar_not_deletable', message, 'calendarId');
}

async function setColor(href: string, color: string, api: GoogleApi): Promise<void> {
  await api.write({
    method: 'PATCH',
    operation: 'calendarList.patch',
    path: `/users/me/calendarList/${encodeURIComponent(href)}`,
    parameters: { colorRgbFormat: 'true' },
    body: { backgroundColor: color, foregroundColor: textColorOn(color) },
  });
}

/** Returns black or white, whichever is readable on `color`, by the luma of ITU-R BT.601. */
function textColorOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? '#000000' : '#ffffff';
}

function requirePermission({ title, description, color }: CalendarChange, granted: readonly string[]): void {
  if (color !== undefined && !color.startsWith('#'))
    throw unsupportedField('color', 'A color at Google must be #rrggbb');
  const isOfCalendar = title !== undefined || description !== undefined;
  if ((isOfCalendar && !mayWriteCalendars(granted)) || (color !== undefined && !maySetColors(granted)))
    throw permissionMissing();
}

const permissionMissing = (): ProviderError =>
  new ProviderError(
    'permission_missing',
    'To create, change or delete calendars at Google the account must grant https://www.googleapis.com/auth/calendar.calendars, ' +
      'and calendar.calendarlist for colors: set KALENDS_GOOGLE_CALENDARS=on to ask users for both, and have this user reconnect the account',
    { reason: 'calendar_permission_missing' },
  );
