/** Ada's calendar at the sandbox's Microsoft, written to through the adapter into a mirror. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import type { EventResource } from '../../../src/calendars/event.ts';
import type { EventChange, EventDraft, Rsvp, WriteResult } from '../../../src/calendars/event-writing.ts';
import { UnsupportedByProvider, type UnsupportedReason } from '../../../src/calendars/provider-error.ts';
import type { EventTime } from '../../../src/lib/recurrence/event-time.ts';
import { apply, assertMirrored, targetAt, ZONE } from '../../contract/mirrored-writes.ts';
import { type Mirror, sync } from '../../servers/mirror.ts';
import { ADA, microsoftHarness } from './microsoft-harness.ts';

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

/** For assert.rejects. */
export const unsupported = (reason: UnsupportedReason, field?: string) => (failure: unknown) => {
  assert.ok(failure instanceof UnsupportedByProvider, String(failure));
  assert.deepEqual([failure.reason, failure.field], [reason, field]);
  return true;
};
