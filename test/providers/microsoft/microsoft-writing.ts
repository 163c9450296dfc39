/** Ada's calendar at the sandbox's Microsoft, written to through the adapter into a mirror. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import type { MicrosoftSandbox } from '../../../sandbox/microsoft/microsoft-sandbox.ts';
import type { EventResource } from '../../../src/calendars/event.ts';
import type { EventChange, EventDraft, Rsvp, WriteResult } from '../../../src/calendars/event-writing.ts';
import { UnsupportedByProvider, type UnsupportedReason } from '../../../src/calendars/provider-error.ts';
import { toInstant } from '../../../src/lib/recurrence/event-instant.ts';
import type { EventTime } from '../../../src/lib/recurrence/event-time.ts';
import { apply, assertMirrored, targetAt, ZONE } from '../../contract/mirrored-writes.ts';
import { type Mirror, sync } from '../../servers/mirror.ts';
import { ADA, microsoftHarness } from './microsoft-harness.ts';

type Json = Readonly<Record<string, unknown>>;

/** Ends with the test. `email` is signed in to; a personal account by its domain. */
export async function openMicrosoftWriting(t: TestContext, { email = ADA.email, readOnly = false } = {}) {
  const microsoft = await microsoftHarness();
  t.after(() => microsoft.close());
  const { manual } = microsoft.sandbox;
  if (email !== ADA.email) await manual.addPerson({ email, name: 'Somebody' });
  await manual.addCalendar(email, { title: 'First', timeZone: ZONE });
  const calendar = await manual.addCalendar(email, { title: 'Work', timeZone: ZONE, readOnly });
  const account = microsoft.open(await microsoft.signIn('read-write', email));
  const mirror: Mirror = new Map();
  await sync(account, calendar, mirror);
  const { writing } = account;
  const applied = async (answer: Promise<WriteResult>): Promise<WriteResult> => {
    const result = await answer;
    apply(mirror, result);
    return result;
  };
  let lastKey = 0;
  return {
    ...microsoft,
    manual,
    calendar,
    writing,
    mirror,
    account,
    /** The href of the master. */
    async create(draft: EventDraft, key = (++lastKey).toString(16).padStart(32, '0')): Promise<string> {
      const { changed } = await applied(writing.create(calendar, draft, key));
      assert.ok(changed[0]);
      return changed[0].href;
    },
    update: (href: string, change: EventChange, instance?: EventTime) =>
      applied(writing.update(calendar, targetAt(mirror, href, instance), change)),
    remove: (href: string, instance?: EventTime) =>
      applied(writing.delete(calendar, targetAt(mirror, href, instance))),
    respond: (href: string, response: Rsvp['response'], comment?: string, instance?: EventTime) =>
      applied(writing.respond(calendar, targetAt(mirror, href, instance), { response, comment })),
    sync: () => sync(account, calendar, mirror),
    mirrored: () => assertMirrored(account, calendar, mirror),
    target: (href: string, instance?: EventTime) => targetAt(mirror, href, instance),
    /** Graph itself, at an event: what Outlook keeps and Kalends knows nothing of. HTML texts. */
    async graph(method: 'GET' | 'PATCH', id: string, body?: object): Promise<Json> {
      const [eventId = '', ...rest] = id.split('/');
      const path = [encodeURIComponent(eventId), ...rest].join('/');
      const answer = await fetch(`${microsoft.sandbox.apiUrl}/me/events/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${account.credentials().accessToken}`,
          prefer: 'IdType="ImmutableId", outlook.timezone="UTC"',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      assert.equal(answer.status, 200, await answer.clone().text());
      const item: unknown = await answer.json();
      // Graph answers objects.
      return item as Json;
    },
    /** Graph's id of an occurrence. */
    async occurrence(href: string, instance: EventTime): Promise<string> {
      const at = new Date(toInstant(instance, 'UTC')).toISOString();
      const window = `startDateTime=${at}&endDateTime=${at.replace('.000Z', '.999Z')}`;
      const { value } = await this.graph('GET', `${href}/instances?${window}`);
      // As the sandbox answers them.
      const [one] = value as { id: string }[];
      assert.ok(one);
      return one.id;
    },
    resource(href: string): EventResource {
      const resource = mirror.get(href);
      assert.ok(resource);
      return resource;
    },
    event(href: string) {
      const event = mirror.get(href)?.events[0];
      assert.ok(event);
      return event;
    },
  };
}

/** How many requests that write were sent so far. */
export const writesOf = (sandbox: MicrosoftSandbox): number =>
  WRITES.reduce((sum, operation) => sum + sandbox.requests(operation), 0);

const WRITES = ['create', 'update', 'delete', 'accept', 'tentativelyAccept', 'decline']
  .map((name) => `events.${name}`)
  .concat('attachments.create', 'calendars.create', 'calendars.update', 'calendars.delete');

/** For assert.rejects. */
export const unsupported = (reason: UnsupportedReason, field?: string) => (failure: unknown) => {
  assert.ok(failure instanceof UnsupportedByProvider, String(failure));
  assert.deepEqual([failure.reason, failure.field], [reason, field]);
  return true;
};
