/** A calendar that is linked by its address, at the adapter: what its syncs bring, and a mirror of it. */
import assert from 'node:assert/strict';
import type { ProviderCalendar } from '../../../../src/calendars/calendar.ts';
import type { CalendarAccount, ProviderCredentials } from '../../../../src/calendars/calendar-provider.ts';
import type { EventResource } from '../../../../src/calendars/event.ts';
import { createEgress } from '../../../../src/lib/egress/egress.ts';
import type { WorkPool } from '../../../../src/lib/work-pool/work-pool.ts';
import { caldavProvider } from '../../../../src/providers/caldav/caldav-provider.ts';
import { FeedServer } from '../../../servers/feed-server.ts';
import { recordingLog } from '../../../servers/recording-log.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export async function openFeedBench({ syncWork }: { readonly syncWork?: WorkPool } = {}) {
  const server = new FeedServer();
  await server.start();
  const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  const recorded = recordingLog();
  const clock = { now: Date.UTC(2026, 10, 22) };
  const provider = caldavProvider({
    ...{ egress, log: recorded.log, now: () => clock.now, feedKey: Buffer.alloc(32, 7) },
    ...(syncWork && { syncWork }),
  });
  return {
    ...{ server, provider, clock, log: recorded.entries },
    link: (typed = server.address) => provider.signIn.verifyAddress?.(typed) ?? assert.fail('no feeds'),
    /** The linked calendar with an empty mirror. */
    async open(typed?: string) {
      const account = await this.link(typed);
      server.calls.length = 0;
      return mirrorOf(provider.open(account.credentials), account.credentials);
    },
    async close() {
      await egress.close();
      await server.stop();
    },
  };
}

export type FeedBench = Awaited<ReturnType<typeof openFeedBench>>;

function mirrorOf(account: CalendarAccount, credentials: ProviderCredentials) {
  const resources = new Map<string, EventResource>();
  const leftOut = new Map<string, string>();
  let syncToken: string | undefined;
  let listed: ProviderCalendar | undefined;
  return {
    account,
    credentials,
    resources,
    leftOut,
    forget() {
      syncToken = undefined;
    },
    async list(): Promise<ProviderCalendar> {
      const known = listed === undefined ? [] : [{ ...listed, syncToken }];
      const [calendar, ...others] = await account.listCalendars(async () => known);
      assert.ok(calendar !== undefined && others.length === 0);
      listed = calendar;
      return calendar;
    },
    /** Syncs, and returns the titles of changed and removed events. */
    async sync(): Promise<{ changed: string[]; removed: string[] }> {
      const { href } = listed ?? (await this.list());
      const versions = new Map([...resources].map(([name, { etag }]) => [name, etag]));
      const changed: EventResource[] = [];
      const seen = new Set<string>();
      let complete: boolean | undefined;
      for await (const part of account.changesSince(href, syncToken, async () => versions)) {
        changed.push(...part.changed);
        for (const { href: name, reason } of part.leftOut ?? []) leftOut.set(name, reason);
        for (const name of [...part.changed.map((one) => one.href), ...(part.unchanged ?? [])])
          seen.add(name);
        complete = part.complete && complete !== false;
        syncToken = part.next ?? syncToken;
      }
      const gone = complete ? [...resources.keys()].filter((name) => !seen.has(name)) : [];
      const removed = gone.map((name) => titleOf(resources.get(name)));
      for (const name of gone) resources.delete(name);
      for (const resource of changed) resources.set(resource.href, resource);
      return { changed: changed.map(titleOf).sort(), removed: removed.sort() };
    },
    titles: () => [...resources.values()].map(titleOf).sort(),
  };
}

const titleOf = (resource: EventResource | undefined): string => resource?.events[0]?.title ?? '';
