/**
 * Changes that people make in the calendar app of a real CalDAV server. Events are written as the sandbox writes its
 * own, to a shadow of each calendar, and go to the server by plain HTTP.
 */
import { randomUUID } from 'node:crypto';

import { calendarAccounts } from '../../sandbox/caldav/accounts.ts';
import { zoneText } from '../../sandbox/caldav/calendar-zone.ts';
import { CalendarCollection } from '../../sandbox/caldav/collection.ts';
import { xmlText } from '../../sandbox/caldav/dav-answer.ts';
import { byStartThenTitle, instancesOf, listedInstance } from '../../sandbox/caldav/instances.ts';
import { manualEvents } from '../../sandbox/caldav/manual-events.ts';
import type { ManualChanges } from '../../sandbox/core/provider-sandbox.ts';
import { basic, type ManagedCalDavServer } from './process.ts';

type ServerManualChanges = ManualChanges & {
  /** Returns the person's current password. */
  passwordOf(email: string): string;
};

/** The server's name for somebody: what is before the @ of the address. */
export const userOf = (email: string): string => email.split('@')[0] ?? '';

/** People are the server's own users, with the passwords they have there. */
export function serverManualChanges(server: ManagedCalDavServer, now: () => number): ServerManualChanges {
  const accounts = calendarAccounts('caldav');
  const shadows = new Map<string, CalendarCollection>();
  const find = (_email: string, calendarId: string): CalendarCollection => {
    const shadow = shadows.get(calendarId);
    if (shadow === undefined) throw new Error(`There is no calendar ${calendarId}`);
    return shadow;
  };
  const events = manualEvents({ now, accounts, find });
  const request = (email: string, method: string, url: string, body?: Body) =>
    send({
      authorization: basic(userOf(email), accounts.of(email).password),
      method,
      url,
      ...(body && { body }),
    });
  const put = async (email: string, calendarId: string, name: string) => {
    const object = find(email, calendarId).object(name);
    if (object === undefined) throw new Error(`There is no event ${name}`);
    await request(email, 'PUT', calendarId + name, { type: 'text/calendar', text: object.icalendar });
  };
  const setProperties = (email: string, url: string, properties: string, method = 'PROPPATCH') =>
    request(email, method, url, { type: 'application/xml', text: propertyBody(method, properties) });

  return {
    passwordOf: (email) => accounts.of(email).password,
    async addPerson(person) {
      accounts.add(person);
    },
    async addCalendar(email, { title, color, timeZone, readOnly = false }) {
      if (readOnly) throw new Error('A calendar of one’s own can be written to');
      const name = randomUUID();
      const url = server.calendarUrl(userOf(email), name);
      await setProperties(email, url, propertiesOf(title, color, zoneText(timeZone, now())), 'MKCALENDAR');
      const components = ['VEVENT'];
      shadows.set(url, new CalendarCollection({ name, components, readOnly, properties: new Map() }));
      return url;
    },
    async renameCalendar(email, calendarId, title) {
      await setProperties(email, calendarId, `<D:displayname>${xmlText(title)}</D:displayname>`);
    },
    async removeCalendar(email, calendarId) {
      shadows.delete(calendarId);
      await request(email, 'DELETE', calendarId);
    },
    async createEvent(email, calendarId, draft) {
      const name = await events.createEvent(email, calendarId, draft);
      await put(email, calendarId, name);
      return name;
    },
    async updateEvent(email, calendarId, { id: eventId, ...draft }) {
      await events.updateEvent(email, calendarId, { ...draft, id: eventId });
      await put(email, calendarId, eventId);
    },
    async deleteEvent(email, calendarId, eventId) {
      await events.deleteEvent(email, calendarId, eventId);
      await request(email, 'DELETE', calendarId + eventId);
    },
    async changeOccurrence(email, calendarId, { id: eventId, original: originalStart, ...change }) {
      await events.changeOccurrence(email, calendarId, { ...change, id: eventId, original: originalStart });
      await put(email, calendarId, eventId);
    },
    async deleteOccurrence(email, calendarId, { id: eventId, original: originalStart }) {
      await events.deleteOccurrence(email, calendarId, { id: eventId, original: originalStart });
      await put(email, calendarId, eventId);
    },
    async revokeAccess(email) {
      await server.setPassword(userOf(email), accounts.renewPassword(email));
    },
    async forgetSyncTokens() {
      throw new Error('A real server cannot be told to forget');
    },
    async instances(email, calendarId, window) {
      const objects = find(email, calendarId).objects();
      const texts = await Promise.all(objects.map(({ name }) => request(email, 'GET', calendarId + name)));
      const instances = texts.flatMap((icalendar) => instancesOf({ icalendar }, window, 'UTC'));
      return instances.map(listedInstance).sort(byStartThenTitle);
    },
  };
}

type Body = { readonly type: string; readonly text: string };

async function send(request: { authorization: string; method: string; url: string; body?: Body }) {
  const { authorization, method, url, body } = request;
  const type = body && { 'content-type': `${body.type}; charset=utf-8` };
  const response = await fetch(url, {
    method,
    headers: { authorization, ...type },
    ...(body && { body: body.text }),
  });
  const text = await response.text();
  // Cyrus deletes a calendar and answers 404.
  const isDone = response.ok || (method === 'DELETE' && response.status === 404);
  if (!isDone) throw new Error(`${method} ${url} was answered with ${response.status}: ${text}`);
  return text;
}

function propertiesOf(title: string, color: string | undefined, zone: string): string {
  const colored =
    color === undefined
      ? ''
      : `<I:calendar-color xmlns:I="http://apple.com/ns/ical/">${color}FF</I:calendar-color>`;
  return `<C:supported-calendar-component-set><C:comp name="VEVENT"/></C:supported-calendar-component-set>
    <D:displayname>${xmlText(title)}</D:displayname>${colored}
    <C:calendar-timezone>${xmlText(zone)}</C:calendar-timezone>`;
}

function propertyBody(method: string, properties: string): string {
  const name = method === 'MKCALENDAR' ? 'C:mkcalendar' : 'D:propertyupdate';
  return `<?xml version="1.0" encoding="utf-8"?><${name} xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"
    ><D:set><D:prop>${properties}</D:prop></D:set></${name}>`;
}
