/** Coming events by day, in the zone of this machine, where both the server and the browser run. */
import { type Html, html } from '../../src/http/html.ts';
import { dot, PROVIDER_NAMES } from './demo-layout.page.ts';
import type { EventPage, ListedCalendar, ListedEvent, ReadProblem } from './kalends-client.ts';

/** A day and what takes place on it. */
type Day = { readonly title: string; readonly events: ListedEvent[] };

export function agenda(page: EventPage, calendars: readonly ListedCalendar[], now: number): Html {
  const { events, errors = [], nextPageToken } = page;
  const calendarsById = new Map(
    calendars.map((calendar) => [`${calendar.provider} ${calendar.id}`, calendar]),
  );
  const row = (event: ListedEvent) =>
    eventRow(event, calendarsById.get(`${event.provider} ${event.calendarId}`));
  const days = daysOf(events, now);
  return html`${events.length > 0 && html`<p class="hint">Times in ${ZONE}.</p>`}
${errors.map(problem)}
${events.length === 0 && html`<p class="empty">Nothing planned. Enjoy it, or connect another account.</p>`}
${days.map(
  (day) => html`<h3>${day.title}</h3>
<ul class="events">${day.events.map(row)}</ul>`,
)}
${nextPageToken !== undefined && html`<p class="hint">There are more events than this page shows.</p>`}`;
}

const problem = ({ provider, account, code, message, actor = 'nobody' }: ReadProblem): Html =>
  html`<div class="notice bad" role="alert"><p><strong>${PROVIDER_NAMES[provider] ?? provider}, ${account}:</strong> ${message}.
Its data may be old. ${WAYS_ON[actor] ?? ''}</p>
${ENDED.includes(code) && html`<form action="/connect"><button>Reconnect account</button></form>`}</div>`;

/** The error codes that signing in again fixes, if only for a while. */
const ENDED = ['reauth_required', 'calendar_permission_required'];

/** The hints by the person who must act; a user acts with the button. */
const WAYS_ON: Readonly<Record<string, string>> = {
  administrator: 'An administrator of the user’s organization must allow Kalends first.',
  operator: 'The operator of Kalends must act.',
  nobody: 'You do not have to do anything: Kalends tries again automatically.',
};

function eventRow(event: ListedEvent, calendar: ListedCalendar | undefined): Html {
  const { title, location, conference, recurringEventId, availability, privacy, provider } = event;
  const marks = [
    recurringEventId !== undefined && 'repeats',
    availability === 'free' && 'free',
    privacy !== undefined && privacy !== 'public' && privacy,
  ].filter((mark) => mark !== false);
  return html`<li><span class="time">${timesOf(event)}</span>${dot(calendar?.color)}<div><strong>${title}</strong>
${marks.map((mark) => html` <span class="mark">${mark}</span>`)}
<span class="muted">${[calendar?.title ?? provider, PROVIDER_NAMES[provider], location].filter(Boolean).join(' · ')}</span>
${conference?.startsWith('https://') && html`<a href="${conference}" rel="noreferrer">Join</a>`}</div></li>`;
}

const ZONE = Temporal.Now.timeZoneId();
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: ZONE });
const DAY = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
});

/** All-day events are at midnight UTC of their dates, whatever the zone (docs/wire.md 1.11). */
function firstDay({ start, allDay }: ListedEvent, now: number): string {
  const zone = allDay ? 'UTC' : ZONE;
  const begins = Temporal.Instant.from(start).toZonedDateTimeISO(zone).toPlainDate();
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(ZONE).toPlainDate();
  // An event that began before today is listed today.
  return (Temporal.PlainDate.compare(begins, today) < 0 ? today : begins).toString();
}

function daysOf(events: readonly ListedEvent[], now: number): Day[] {
  const days = Map.groupBy(events, (event) => firstDay(event, now));
  return [...days]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([date, inside]) => ({ title: DAY.format(new Date(date)), events: inside }));
}

function timesOf({ start, end, allDay }: ListedEvent): string {
  if (!allDay) return `${TIME.format(new Date(start))} – ${TIME.format(new Date(end))}`;
  const nights = Math.round((Date.parse(end) - Date.parse(start)) / 86_400_000);
  return nights > 1 ? `${nights} days` : 'all day';
}
