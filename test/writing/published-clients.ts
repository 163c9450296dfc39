/** The occurrences of a calendar as published programs find them: Google's and Microsoft's own clients, and ical.js. */
import assert from 'node:assert/strict';

import { auth, calendar } from '@googleapis/calendar';
import { Client, HTTPMessageHandler } from '@microsoft/microsoft-graph-client';
import ICAL from 'ical.js';

import type { Bench } from '../providers/provider-bench.ts';

/** An occurrence. Epoch milliseconds; `end` is exclusive. */
export type PublishedOccurrence = {
  readonly title: string;
  readonly start: number;
  readonly end: number;
  readonly allDay: boolean;
};
const MINUTE = 60_000;
type Window = { readonly start: number; readonly end: number };

/** Signs in, and again when its token expires. Returns a function that lists the occurrences in a window, in no order. */
export async function publishedClient({ started, calendarId }: Bench, email: string) {
  const { sandbox } = started;
  if (sandbox.kind === 'google' || sandbox.kind === 'microsoft') {
    assert.ok('apiUrl' in sandbox);
    const { origin } = new URL(sandbox.apiUrl);
    let { credentials } = await started.signIn(email);
    return async (window: Window) => {
      if (Number(credentials.expiresAt) < started.clock.now() + MINUTE)
        ({ credentials } = await started.signIn(email));
      const client = { origin, calendarId, token: String(credentials.accessToken) };
      return sandbox.kind === 'google' ? listAtGoogle(client, window) : listAtMicrosoft(client, window);
    };
  }
  assert.ok('passwordOf' in sandbox);
  const authorization = `Basic ${btoa(`${email}:${sandbox.passwordOf(email)}`)}`;
  return (window: Window) => listAtServer({ calendarId, authorization }, window);
}

type TokenClient = { readonly origin: string; readonly calendarId: string; readonly token: string };

const iso = (at: number): string => new Date(at).toISOString();

async function listAtGoogle({ origin, calendarId, token }: TokenClient, window: Window) {
  const oauth = new auth.OAuth2();
  oauth.setCredentials({ access_token: token });
  const client = calendar({ version: 'v3', auth: oauth, rootUrl: `${origin}/` });
  const bounds = { timeMin: iso(window.start), timeMax: iso(window.end), maxResults: 2500 };
  const { data } = await client.events.list({ calendarId, singleEvents: true, ...bounds });
  return (data.items ?? []).map(({ summary, start, end }): PublishedOccurrence => {
    const at = (time: typeof start) => Date.parse(time?.dateTime ?? time?.date ?? '');
    return { title: summary ?? '', start: at(start), end: at(end), allDay: start?.date != null };
  });
}

type GraphEvent = {
  subject: string;
  isAllDay: boolean;
  start: { dateTime: string };
  end: { dateTime: string };
};

async function listAtMicrosoft({ origin, calendarId, token }: TokenClient, window: Window) {
  // The client's own authentication takes https only.
  const client = Client.initWithMiddleware({ middleware: new HTTPMessageHandler(), baseUrl: origin });
  const { value }: { value: GraphEvent[] } = await client
    .api(`/me/calendars/${calendarId}/calendarView`)
    .header('Authorization', `Bearer ${token}`)
    .header('Prefer', 'outlook.timezone="UTC"')
    .query({ startDateTime: iso(window.start), endDateTime: iso(window.end), $top: '999' })
    .get();
  return value.map(({ subject, isAllDay, start, end }): PublishedOccurrence => {
    const at = ({ dateTime }: GraphEvent['start']) => Date.parse(`${dateTime.slice(0, 19)}Z`);
    return { title: subject, start: at(start), end: at(end), allDay: isAllDay };
  });
}

type PasswordClient = { readonly calendarId: string; readonly authorization: string };

async function listAtServer({ calendarId, authorization }: PasswordClient, window: Window) {
  const headers = { authorization, depth: '1', 'content-type': 'application/xml' };
  const body = '<d:propfind xmlns:d="DAV:"><d:prop><d:getetag/></d:prop></d:propfind>';
  const listing = await (await fetch(calendarId, { method: 'PROPFIND', headers, body })).text();
  const hrefs = [...listing.matchAll(/<(?:\w+:)?href>([^<]*)<\//g)].map(([, href = '']) => href);
  const objects = hrefs.filter((href) => !href.endsWith('/')).map((href) => new URL(href, calendarId));
  const texts = await Promise.all(
    objects.map(async (url) => (await fetch(url, { headers: { authorization } })).text()),
  );
  return texts.flatMap((text) => occurrencesIn(text, window));
}

function occurrencesIn(text: string, window: Window): PublishedOccurrence[] {
  const root = new ICAL.Component(ICAL.parse(text));
  for (const zone of root.getAllSubcomponents('vtimezone')) ICAL.TimezoneService.register(zone);
  const events = root.getAllSubcomponents('vevent').map((one) => new ICAL.Event(one));
  const master = events.find((event) => !event.isRecurrenceException());
  assert.ok(master, text);
  for (const exception of events) if (exception !== master) master.relateException(exception);
  if (!master.isRecurring()) return [occurrenceOf(master, master.startDate, master.endDate)];
  const occurrences: PublishedOccurrence[] = [];
  const iterator = master.iterator();
  for (let next = iterator.next(); next; next = iterator.next()) {
    const { item, startDate, endDate } = master.getOccurrenceDetails(next);
    const occurrence = occurrenceOf(item, startDate, endDate);
    if (occurrence.start >= window.end) break;
    if (item.component.getFirstPropertyValue('status') !== 'CANCELLED') occurrences.push(occurrence);
  }
  return occurrences;
}

function occurrenceOf({ summary }: ICAL.Event, start: ICAL.Time, end: ICAL.Time): PublishedOccurrence {
  const at = (time: ICAL.Time) =>
    time.isDate ? Date.UTC(time.year, time.month - 1, time.day) : time.toUnixTime() * 1000;
  return { title: summary, start: at(start), end: at(end), allDay: start.isDate };
}
