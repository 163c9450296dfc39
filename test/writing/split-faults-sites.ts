/** The providers of the sandbox, and CalDAV servers that others wrote, with faults of single writes. */

import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { EgressError } from '../../src/lib/egress/egress-error.ts';
import { openBench } from '../providers/provider-bench.ts';
import type { SchedulingServer } from '../servers/scheduling.ts';
import { BOB, openSchedulingSite } from '../servers/scheduling-site.ts';
import type { FaultSite, Told, WriteFault } from './split-faults.ts';

const GUEST = 'guest@elsewhere.example';

export async function sandboxFaults(kind: ProviderKind): Promise<FaultSite> {
  const bench = await openBench(kind, { schedules: true });
  await bench.link({ scope: 'read-write' });
  await bench.read();
  const { server, faults, sandbox, calendarId } = bench;
  const provider = kind === 'apple' ? 'icloud' : kind;
  let marker: string | undefined;
  let seen = 0;
  return {
    server,
    place: { provider: kind, calendarId },
    guests: [GUEST, 'guest2@elsewhere.example'],
    tells: 'all',
    fail(n, fault) {
      const at = { provider, operation: 'write', skip: n - 1 } as const;
      // Gone once the write came.
      marker = faults.set({ ...at, times: 1, effect: { kind: 'latency', ms: 0 } });
      if (typeof fault === 'number')
        faults.set({ ...at, times: 1, effect: { kind: 'status', status: fault } });
      else if (fault === 'ended before') faults.set({ ...at, effect: { kind: 'reset' } });
      else faults.set({ ...at, times: 1, effect: { kind: 'lost_answer' } });
      if (fault === 'ended after') faults.set({ ...at, skip: n, effect: { kind: 'reset' } });
    },
    heal() {
      const isMet = !faults.list().some(({ id }) => id === marker);
      faults.clear();
      return isMet;
    },
    async takeSent() {
      const messages = sandbox.sent().slice(seen);
      seen += messages.length;
      return messages.map((message): Told => {
        const { method, uid, to } = message;
        return { method, uid, to, occurrence: instanceIn(message) };
      });
    },
    markRoom(address) {
      const state = sandbox.state();
      if ('store' in state) {
        const { calendars } = state.store;
        for (const { details } of [...calendars.values()].flatMap(({ events }) => [...events.values()]))
          for (const guest of details.attendees ?? []) if (guest.email === address) guest.resource = true;
      } else if ('directory' in state) {
        const { accounts } = state.directory;
        const mailboxes = [...accounts.values()].map(({ mailbox }) => mailbox);
        const events = mailboxes.flatMap(({ calendars }) =>
          [...calendars.values()].map(({ events }) => events),
        );
        for (const { content } of events.flatMap((all) => [...all.values()]))
          for (const guest of content.attendees ?? [])
            if (guest.emailAddress?.address === address) guest.type = 'resource';
      }
    },
    close: () => bench.close(),
  };
}

/** Returns the occurrence that a message with one event is about; empty for a series. */
function instanceIn(message: object): string {
  if ('occurrence' in message) return typeof message.occurrence === 'string' ? message.occurrence : '';
  const text = 'icalendar' in message && typeof message.icalendar === 'string' ? message.icalendar : '';
  const events = text.split(/^BEGIN:VEVENT/m).length - 1;
  return events === 1 ? (/^RECURRENCE-ID[^:]*:(\S+)/m.exec(text)?.[1] ?? '') : '';
}

export async function serverFaults(
  start: (calendars: readonly string[]) => Promise<SchedulingServer>,
): Promise<FaultSite> {
  let failing: { n: number; fault: WriteFault } | undefined;
  let count = 0;
  const site = await openSchedulingSite(start, async (request, send) => {
    count += 1;
    const { n, fault } = failing ?? { n: 0, fault: 503 as const };
    if (failing === undefined || count < n) return send(request);
    if (count > n) {
      if (fault === 'ended before' || fault === 'ended after') throw cut();
      return send(request);
    }
    if (fault === 'ended before') throw cut();
    if (typeof fault !== 'number') {
      await send(request);
      throw cut();
    }
    return { status: fault, url: new URL(request.url), header: () => undefined, body: Buffer.from('') };
  });
  const { server, ada, grace } = site;
  return {
    server,
    place: { provider: 'caldav', calendarId: ada.calendarId },
    guests: [grace.address, BOB],
    tells: 'some',
    fail(n, fault) {
      count = 0;
      failing = { n, fault };
    },
    heal() {
      const isMet = failing !== undefined && count >= failing.n;
      failing = undefined;
      return isMet;
    },
    takeSent: async () =>
      (await site.takeMessages()).map(({ method, uid, to, instance }) => ({
        ...{ method, uid, to, occurrence: instance },
      })),
    markRoom() {},
    close: () => site.close(),
  };
}

const cut = () => new EgressError('unreachable', 'The connection was reset');
