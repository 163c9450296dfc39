/**
 * Events as JSON text (wire 2.5). The mirror keeps what does not differ from one answer to the next
 * already written out, so that a listing parses and serialises nothing.
 */
import { createHmac, hkdfSync } from 'node:crypto';

import { dateText, instantText } from '../lib/instant-text.ts';
import type { MirroredAccount, ReadableCalendar } from './event-reader.ts';
import type { ListedEvent } from './page-of-events.ts';

/** Writes one event of a calendar. */
export type EventText = (event: ListedEvent, calendar: ReadableCalendar, account: MirroredAccount) => string;

/** Everything there is to an event; `account` tells two accounts of one provider apart. */
export function eventText(): EventText {
  const heads = new Map<string, string>();
  return (event, calendar, account) => {
    let head = heads.get(calendar.calendarKey);
    if (head === undefined) {
      const { provider, accountId } = account;
      head = JSON.stringify({ provider, account: accountId, calendarId: calendar.href }).slice(0, -1);
      heads.set(calendar.calendarKey, head);
    }
    const { content, etag, recurrence, original } = event;
    const rules = recurrence === undefined ? '' : `,"recurrence":${JSON.stringify(recurrence)}`;
    const version = etag === null ? '' : `,"etag":${JSON.stringify(etag)}`;
    return `${head}${timesText(event)},${content}${rules}${version},"original":${original}}`;
  };
}

/** An instance's own members; a single event has them in its content. */
function timesText({ id, times }: ListedEvent): string {
  if (times === undefined) return '';
  const { start, end, recurringEventId, allDay } = times;
  const series =
    recurringEventId === undefined ? '' : `,"recurringEventId":${JSON.stringify(recurringEventId)}`;
  const dates = allDay ? `,"startDate":"${dateText(start)}","endDate":"${dateText(end)}"` : '';
  return `,"id":${JSON.stringify(id)},"start":"${instantText(start)}","end":"${instantText(end)}"${dates}${series}`;
}

/** All that scope `free-busy` may see: when, and whether it blocks; the id is one no provider knows. */
export function busyText(key: Buffer): EventText {
  const idKey = Buffer.from(hkdfSync('sha256', key, '', 'ids of busy blocks', 32));
  return (event, calendar, account) => {
    const members = JSON.parse(`{${event.content}}`);
    const { allDay, availability, status } = members;
    return JSON.stringify({
      provider: account.provider,
      id: createHmac('sha256', idKey)
        .update(`busy|${event.calendarKey}|${event.id}`)
        .digest('base64url')
        .slice(0, 22),
      calendarId: calendar.href,
      title: 'Busy',
      start: event.times === undefined ? members.start : instantText(event.times.start),
      end: event.times === undefined ? members.end : instantText(event.times.end),
      allDay,
      availability,
      status,
    });
  };
}
