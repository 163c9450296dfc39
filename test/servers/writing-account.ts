/** An account on an OddCalDav, to write with: what it has is in `mirror`, and every text that leaves is read by ical.js. */
import type { EventChange, EventDraft, WriteResult } from '../../src/calendars/event-writing.ts';
import { createEgress } from '../../src/lib/egress/egress.ts';
import type { EventTime } from '../../src/lib/recurrence/event-time.ts';
import { openAccount } from '../../src/providers/caldav/caldav-account.ts';
import { apply, targetAt } from '../contract/mirrored-writes.ts';
import { checkedWrites } from './checked-writes.ts';
import { type Mirror, sync } from './mirror.ts';
import { CALENDAR, OddCalDav } from './odd-caldav.ts';
import { USERS } from './process.ts';
import { recordingLog } from './recording-log.ts';

export const NOW = Date.UTC(2026, 10, 21, 12);

export async function writingAccount() {
  const server = new OddCalDav();
  await server.start();
  const egress = checkedWrites(createEgress({ privateNetwork: { mode: 'loopback' } }));
  const { origin } = server;
  const account = openAccount(
    {
      username: 'ada',
      password: USERS.ada ?? '',
      principal: `${origin}/principal/`,
      homes: [`${origin}/dav/ada/`],
      origins: [origin],
    },
    { egress, log: recordingLog().log, now: () => NOW },
  );
  const { writing } = account;
  const calendar = origin + CALENDAR;
  const mirror: Mirror = new Map();
  const applied = (result: WriteResult): WriteResult => {
    apply(mirror, result);
    return result;
  };
  return {
    server,
    writing,
    calendar,
    mirror,
    /** Puts an object on the server and into the mirror, as another program of the user would; its href. */
    async given(name: string, icalendar: string): Promise<string> {
      server.put(name, icalendar);
      await sync(account, calendar, mirror);
      server.calls.length = 0;
      return CALENDAR + name;
    },
    create: async (draft: EventDraft, key: string) => applied(await writing.create(calendar, draft, key)),
    update: async (href: string, change: EventChange, instance?: EventTime) =>
      applied(await writing.update(calendar, targetAt(mirror, href, instance), change)),
    remove: async (href: string, instance?: EventTime) =>
      applied(await writing.delete(calendar, targetAt(mirror, href, instance))),
    /** Returns the lines of the server's resource, unfolded. */
    lines: (name: string): string[] =>
      (server.resources.get(name)?.data ?? '').replace(/\r\n[ \t]/g, '').split('\r\n'),
    async close() {
      await egress.close();
      await server.stop();
    },
  };
}

export type WritingAccount = Awaited<ReturnType<typeof writingAccount>>;
