/** /control/events and /control/access at all four providers. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { sandboxClock } from '../../sandbox/core/clock.ts';
import { controlRoute } from '../../sandbox/core/control.route.ts';
import { faultBoard, SANDBOX_KINDS, type SandboxKind } from '../../sandbox/core/faults.ts';
import { ACCOUNTS, addAllAccounts } from '../../sandbox/people/people.ts';
import { startProviders } from '../../sandbox/providers.ts';
import { createServer } from '../../src/http/server.ts';
import { recordingLog } from '../servers/recording-log.ts';

const ANY_PORTS = {
  kalends: 0,
  demo: 0,
  control: 0,
  google: 0,
  microsoft: 0,
  icloud: 0,
  icloudHome: 0,
  caldav: 0,
};
const DAY = { start: '2027-03-16', end: '2027-03-17' };
const HOUR = { start: '2027-03-16T10:00:00', end: '2027-03-16T11:00:00', timeZone: 'Europe/Berlin' };

describe('the events of the sandbox’s accounts', () => {
  const deps = { clock: sandboxClock(), faults: faultBoard() };
  const app = createServer({ log: recordingLog().log, trustProxy: undefined, secure: false });
  const stops: (() => Promise<unknown>)[] = [() => app.close()];
  before(async () => {
    const options = { ...deps, ports: ANY_PORTS, kalendsUrl: 'http://127.0.0.1:9', state: undefined };
    const providers = await startProviders(options, (stop) => stops.push(stop));
    const all = Object.values(providers);
    await addAllAccounts(all, Date.now());
    const passwordOf = ({ kind, email }: { kind: SandboxKind; email: string }) =>
      kind === 'icloud' || kind === 'caldav' ? providers[kind].passwordOf(email) : undefined;
    await app.register(controlRoute({ ...deps, providers: all, passwordOf }));
  });
  after(() => Promise.all(stops.map((stop) => stop())));

  const person = (provider: SandboxKind) => ({ provider, user: ACCOUNTS[provider][0]?.person.email ?? '' });
  const post = (path: string, payload: object) =>
    app.inject({ method: 'POST', url: `/control/${path}`, payload });
  const find = async (provider: SandboxKind, event: string) => {
    const { events } = (await app.inject(`/control/events?${new URLSearchParams(person(provider))}`)).json();
    return events.find((one: { event: string }) => one.event === event);
  };

  for (const provider of SANDBOX_KINDS)
    it(`are created, changed, moved and deleted at ${provider}`, async () => {
      const change = async (fields: object) => {
        const { statusCode, body } = await post('events', { ...person(provider), ...fields });
        assert.equal(statusCode, 201, body);
        return JSON.parse(body);
      };
      const place = await change({ action: 'create', title: 'First', ...HOUR });
      const created = await find(provider, place.event);
      await change({ ...place, action: 'update', title: 'Second', end: '2027-03-16T12:00:00' });
      await change({ ...place, action: 'move', minutes: -60 });
      const moved = await find(provider, place.event);
      await change({ ...place, action: 'delete' });

      assert.deepEqual(created, { ...place, title: 'First', ...HOUR });
      const times = { start: '2027-03-16T09:00:00', end: '2027-03-16T11:00:00' };
      assert.deepEqual(moved, { ...created, title: 'Second', ...times });
      assert.equal(await find(provider, place.event), undefined);
    });

  for (const provider of SANDBOX_KINDS)
    it(`can last whole days and move by days alone at ${provider}`, async () => {
      const own = person(provider);
      const place = (await post('events', { ...own, action: 'create', title: 'Day', ...DAY })).json();
      const refused = await post('events', { ...own, ...place, action: 'move', minutes: 30 });
      await post('events', { ...own, ...place, action: 'move', minutes: 1440 });

      assert.deepEqual([refused.statusCode, Object.keys(refused.json().details)], [400, ['minutes']]);
      const moved = { ...place, title: 'Day', start: '2027-03-17', end: '2027-03-18' };
      assert.deepEqual(await find(provider, place.event), moved);
    });

  it('are refused without a person, with an unknown calendar, or with times that do not fit', async () => {
    const own = { ...person('google'), action: 'create', title: 'X' };
    const cases: readonly (readonly [field: string, body: object])[] = [
      ['provider', { ...own, ...HOUR, provider: 'other' }],
      ['user', { ...own, ...HOUR, user: 'nobody' }],
      ['calendar', { ...own, ...HOUR, calendar: 'none' }],
      ['start', { ...own, end: HOUR.end }],
      ['start', { ...own, ...HOUR, start: 'tomorrow' }],
      ['end', { ...own, ...HOUR, end: DAY.end }],
      ['timeZone', { ...own, ...HOUR, timeZone: 'Nowhere/City' }],
    ];
    for (const [field, body] of cases) {
      const { statusCode, body: text } = await post('events', body);
      assert.deepEqual([statusCode, Object.keys(JSON.parse(text).details)], [400, [field]], text);
    }
  });

  it('have new passwords after access was revoked, where people have passwords', async () => {
    const passwords = await Promise.all(
      SANDBOX_KINDS.map(async (kind) => (await post('access', { ...person(kind), action: 'revoke' })).json()),
    );

    const has = passwords.map(({ password }) => typeof password === 'string' && password !== 'demo');
    assert.deepEqual(
      has,
      SANDBOX_KINDS.map((kind) => kind === 'icloud' || kind === 'caldav'),
    );
    const refused = await post('access', { ...person('google'), action: 'demand_consent' });
    assert.deepEqual(Object.keys(refused.json().details), ['action']);
  });
});
