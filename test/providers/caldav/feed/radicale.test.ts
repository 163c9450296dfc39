/** A calendar by its address at Radicale, an independent server, which serves each calendar as one file. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';

import type { CalendarAccount, PasswordProvider } from '../../../../src/calendars/calendar-provider.ts';
import { createEgress, type Egress } from '../../../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../../../src/providers/caldav/caldav-provider.ts';
import { counterpart } from '../../../harness/counterpart.ts';
import { providerErrorOf } from '../../../harness/provider-error-of.ts';
import { seriesWithOverride } from '../../../servers/icalendar.ts';
import { basic, type CalDavServer, USERS } from '../../../servers/process.ts';
import { RADICALE, startRadicale } from '../../../servers/radicale.ts';
import { recordingLog } from '../../../servers/recording-log.ts';

const FIXTURES = new URL('../../../fixtures/icalendar/', import.meta.url);
/** Fixtures that Radicale serves unchanged. It writes zones of the same name only once for all events. */
const NAMES = [
  ...[
    'bare-line-feeds',
    'cancelled-override',
    'evolution-zone-path',
    'exdate-as-date',
    'floating',
    'google-overrides',
  ],
  ...[
    'icloud-all-day',
    'month-ends',
    'no-end-timed',
    'until-as-date-on-timed',
    'sogo-exdate-list',
    'this-and-future',
  ],
];

describe('a calendar of Radicale’s by its address', counterpart('Radicale', RADICALE), () => {
  let radicale: CalDavServer;
  let egress: Egress;
  before(async () => {
    radicale = await startRadicale(['work']);
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  });
  after(async () => {
    await egress?.close();
    await radicale?.stop();
  });

  const address = () => radicale.calendarUrl('ada', 'work');
  const providerWith = (through: Egress): PasswordProvider =>
    caldavProvider({
      ...{ egress: through, log: recordingLog().log, now: Date.now },
      feedKey: Buffer.alloc(32, 1),
    });
  /** As if it were public. */
  const signedIn = (): Egress => ({
    ...egress,
    request: (request) => {
      const credentials = { authorization: basic('ada'), origins: [radicale.origin] };
      return egress.request({ ...request, credentials });
    },
  });
  const put = async (name: string, body: Uint8Array | string): Promise<boolean> => {
    const headers = { authorization: basic('ada'), 'content-type': 'text/calendar' };
    return (await fetch(`${address()}${name}.ics`, { method: 'PUT', headers, body: Buffer.from(body) })).ok;
  };
  /** The events of its only calendar, by UID. */
  const eventsOf = async (account: CalendarAccount) => {
    const [calendar] = await account.listCalendars();
    const parts = await Array.fromAsync(
      account.changesSince(calendar?.href ?? '', undefined, async () => new Map()),
    );
    const resources = parts.flatMap(({ changed }) => changed);
    return new Map(resources.map(({ events }) => [events[0]?.uid ?? '', events]));
  };

  it('one that is not public says that it needs a sign-in', async () => {
    const refusal = await providerErrorOf(
      providerWith(egress).signIn.verifyAddress?.(address()) ?? assert.fail(),
    );

    assert.equal(refusal.detail, 'sign_in_needed');
  });

  it('it has the events that the same calendar has by CalDAV', async () => {
    for (const name of NAMES) {
      // They share one UID, which Radicale takes once.
      const file = readFileSync(new URL(`${name}.ics`, FIXTURES), 'latin1');
      const text = file.replaceAll(/^UID:.*?(?=\r?$)/gm, `UID:${name}`);
      assert.ok(await put(name, Buffer.from(text, 'latin1')), name);
    }
    assert.ok(await put('weekly', seriesWithOverride('weekly')));
    const provider = providerWith(signedIn());
    const login = { server: radicale.typed, username: 'ada', password: USERS.ada ?? '' };
    const linked = (await provider.signIn.verifyAddress?.(address())) ?? assert.fail();
    const { credentials } = await provider.signIn.verify(login);

    const byAddress = await eventsOf(provider.open(linked.credentials));
    const byCalDav = await eventsOf(provider.open(credentials));

    assert.equal(byCalDav.size, NAMES.length + 1);
    assert.deepEqual([...byAddress.keys()].sort(), [...byCalDav.keys()].sort());
    for (const [uid, events] of byCalDav) assert.deepEqual(byAddress.get(uid), events, uid);
  });
});
