/** Listings that are kept in memory show what any instance wrote, at once. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sealer } from '../contract/calendar-rows.ts';
import { calendar, changesTo, event, removalOf, resource } from '../contract/mirror-rows.ts';
import { get, link, openCalendarServer } from '../harness/calendar-server.ts';

it('the very next listing shows what another instance wrote, and other queries their own answers', async (t) => {
  const one = await openCalendarServer({ sealer });
  t.after(() => one.close());
  const other = await openCalendarServer({ db: one.db, sealer });
  t.after(() => other.close());
  one.provider.addCalendar(calendar('/work/'));
  one.provider.put('/work/', resource('x', event('2026-11-10T09:00:00')));
  const { accountKey } = await link(one);
  const token = await one.token('read');
  const ids = async (query = '') =>
    (await get(one, `/events${query}`, token)).json().events.map(({ id }: { id: string }) => id);
  assert.deepEqual([await ids(), await ids()], [['x'], ['x']]);
  const [row] = await other.deps.mirror.listCalendars(accountKey);
  const lease = { key: row?.calendarKey ?? '', holder: 'other' };
  const until = one.clock.now + 60_000;
  assert.ok(await other.deps.mirror.leaseCalendar(lease, one.clock.now, until));

  await other.deps.mirror.applyChanges(lease, changesTo(resource('y', event('2026-11-11T09:00:00'))), until);
  const afterwards = await ids();
  await other.deps.mirror.applyChanges(lease, removalOf('/x.ics'), until);

  assert.deepEqual(afterwards, ['x', 'y']);
  assert.deepEqual(await ids(), ['y']);
  assert.deepEqual(await ids('?start=2026-12-01&end=2026-12-02'), []);
  const busy = await get(one, '/events', await one.token('free-busy'));
  assert.deepEqual(
    busy.json().events.map(({ title }: { title: string }) => title),
    ['Busy'],
  );
});
