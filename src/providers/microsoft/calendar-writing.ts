/** Creates, changes and deletes calendars in Outlook. They have a unique name and one of a few colors. */
import type { Calendar as GraphCalendar } from '@microsoft/microsoft-graph-types';

import type { CalendarChange, CalendarDraft, CalendarWriting } from '../../calendars/calendar-writing.ts';
import { ProviderError, UnsupportedByProvider } from '../../calendars/provider-error.ts';
import { undefinedIf } from '../expected-failure.ts';
import { text, withoutUndefined } from '../json-value.ts';
import { unreadableAnswer } from '../meaning.ts';
import { unsupportedField } from '../unsupported-field.ts';
import type { Graph, GraphWrite } from './api.ts';
import { findGraphCode, findGraphStatus } from './api-refusal.ts';
import { calendarUrl } from './calendars.ts';

/** Graph's `calendarColor` values. Their RGB is not published, and `hexColor` is read-only. */
const COLORS = [
  'auto',
  'lightBlue',
  'lightGreen',
  'lightOrange',
  'lightGray',
  'lightYellow',
  'lightTeal',
  'lightPink',
  'lightBrown',
  'lightRed',
  'maxColor',
] as const;

export function calendarWriting(graph: Graph): CalendarWriting {
  return {
    async create(draft) {
      const url = `${graph.apiUrl}/me/calendars`;
      const body = toGraphCalendar(draft);
      const request = { operation: 'calendars.create', method: 'POST', url, body } as const;
      const id = text((await write(graph, request))?.id);
      if (id !== undefined) return id;
      throw unreadableAnswer('Microsoft sent a calendar without an id');
    },
    async change(calendarHref, change) {
      const url = calendarUrl(graph, calendarHref);
      await write(graph, {
        operation: 'calendars.update',
        method: 'PATCH',
        url,
        body: toGraphCalendar(change),
      });
    },
    async delete(calendarHref) {
      const url = calendarUrl(graph, calendarHref);
      const deleted = write(graph, { operation: 'calendars.delete', method: 'DELETE', url });
      await undefinedIf('not_found', deleted);
    },
  };
}

function toGraphCalendar(calendar: CalendarChange & Partial<CalendarDraft>): GraphCalendar {
  const { title, color, description, timeZone } = calendar;
  if (description !== undefined)
    throw unsupportedField('description', 'Outlook does not support descriptions of calendars');
  if (timeZone !== undefined)
    throw unsupportedField('timeZone', 'Outlook calendars use the time zone of the mailbox');
  return withoutUndefined({ name: title, color: color === undefined ? undefined : toGraphColor(color) });
}

function toGraphColor(color: string): (typeof COLORS)[number] {
  const match = COLORS.find((name) => name.toLowerCase() === color.toLowerCase());
  if (match !== undefined) return match;
  throw unsupportedField('color', `An Outlook calendar must have one of these colors: ${COLORS.join(', ')}`);
}

async function write(graph: Graph, request: GraphWrite) {
  try {
    return await graph.write(request);
  } catch (failure) {
    if (/^error(folderexists|duplicate)/i.test(findGraphCode(failure) ?? ''))
      throw unsupportedField('title', 'Outlook already has a calendar with this name');
    // A 400 seems to mean an invalid name or a protected calendar, which no source confirms.
    if (
      findGraphStatus(failure) === 400 &&
      failure instanceof ProviderError &&
      failure.kind === 'invalid_response'
    )
      throw request.method === 'DELETE'
        ? new UnsupportedByProvider('calendar_not_deletable', 'Outlook does not allow deleting this calendar')
        : unsupportedField('title', 'Outlook does not accept this change of the calendar');
    throw failure;
  }
}
