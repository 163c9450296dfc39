/** Reads of calendars that change, are slow, or fail (docs/reading.md). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { ProviderError } from '../../src/calendars/provider-error.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';
import { holdCalls } from '../harness/hold-calls.ts';
import { controlledReadWait } from '../harness/read-wait.ts';

describe('a read of calendars', () => {
  let server: CalendarServer;
  let token: string;
  let wait: ReturnType<typeof controlledReadWait>;
  let slow: ReturnType<typeof holdCalls>;
  beforeEach(async () => {
    [wait, slow] = [controlledReadWait(), holdCalls()];
    server = await openCalendarServer({ readWait: wait.readWait });
    server.provider.addCalendar(calendar('/a/'));
    server.provider.put('/a/', resource('one', event('2026-11-10T09:00:00', { title: 'One' })));
    token = await server.token();
  });
  afterEach(() => {
    slow.open();
    return server.close();
  });

  const read = () => get(server, '/events', token);
  const titles = async () => (await read()).json().events.map(({ title }: { title: string }) => title);
  const later = (ms: number) => {
    server.clock.now += ms;
  };
  const down = new ProviderError('unavailable', 'The server is down');
  const health = async () => (await server.deps.accounts.listAccounts('acme', 'ada'))[0]?.health;
  const dueJobs = async () => {
    const jobs = await server.db.all<{ kind: string }>('SELECT kind FROM job WHERE run_at > :now', {
      now: server.clock.now,
    });
    return jobs.map(({ kind }) => kind);
  };

  it('a read waits for the first sync and shows what it brought', async () => {
    await link(server);
    server.provider.beforePart = slow.pass;

    const reading = titles();
    await slow.until(1);
    slow.open();

    assert.deepEqual(await reading, ['One']);
    assert.deepEqual(wait.bounds, [20_000]);
  });

  it('a read says 503 sync_in_progress with Retry-After when the first sync takes too long, then shows it', async () => {
    await link(server);
    server.provider.beforePart = slow.pass;

    const reading = read();
    await slow.until(1);
    wait.end();
    const answer = await reading;

    assert.equal(answer.statusCode, 503);
    assert.equal(answer.headers['retry-after'], '5');
    assert.equal(answer.json().code, 'sync_in_progress');
    assert.equal(typeof answer.json().message, 'string');
    const calendars = await get(server, '/calendars', token);
    assert.deepEqual([calendars.statusCode, calendars.json().length], [200, 1]);
    slow.open();
    await server.deps.sync.syncNewCalendars((await firstAccount()).accountKey, 0);
    assert.deepEqual(await titles(), ['One']);
  });

  const firstAccount = async () => {
    const [account] = await server.deps.accounts.listAccounts('acme', 'ada');
    assert.ok(account);
    return account;
  };

  it('a read asks the provider nothing while what it has is younger than ten seconds', async () => {
    await link(server);
    await read();
    const calls = server.provider.calls.length;

    later(9_000);
    await read();
    await get(server, '/calendars', token);

    assert.equal(server.provider.calls.length, calls);
  });

  it('a read asks what changed since the last sync when that is older, and shows changes and deletions', async () => {
    await link(server);
    await read();
    server.provider.put('/a/', resource('two', event('2026-11-11T09:00:00', { title: 'Two' })));
    server.provider.remove('/a/', '/one.ics');
    const before = server.provider.calls.length;

    later(11_000);

    assert.deepEqual(await titles(), ['Two']);
    assert.deepEqual(server.provider.calls.slice(before), ['changes /a/ 1']);
  });

  it('a read syncs only the calendars that are asked for', async () => {
    server.provider.addCalendar(calendar('/b/'));
    await link(server);
    await read();
    const before = server.provider.calls.length;

    later(11_000);
    await get(server, `/events?calendarIds=${encodeURIComponent('["/b/"]')}`, token);

    assert.deepEqual(server.provider.calls.slice(before), ['changes /b/ 1']);
  });

  it('a read tells nothing of accounts whose calendars are not asked for', async () => {
    await link(server);
    await link(server, { provider: 'apple', accountId: 'ada@icloud.example' });
    server.apple.addCalendar(calendar('/apple/'));
    await read();
    server.apple.failures.push({ call: 'changes', error: down }, { call: 'list', error: down });
    later(61_000);
    assert.equal((await read()).json().errors.length, 1);

    const answer = await get(server, `/events?calendarIds=${encodeURIComponent('["/a/"]')}`, token);

    assert.equal(answer.json().errors, undefined);
    assert.equal(answer.json().events.length, 1);
  });

  it('a read finds new calendars with their events, and drops those that are gone', async () => {
    await link(server);
    await read();
    server.provider.addCalendar(calendar('/b/'));
    server.provider.put('/b/', resource('b', event('2026-11-12T09:00:00', { title: 'B' })));
    server.provider.calendars.delete('/a/');

    later(61_000);

    assert.deepEqual(await titles(), ['B']);
    const calendars = (await get(server, '/calendars', token)).json();
    assert.deepEqual(
      calendars.map(({ id }: { id: string }) => id),
      ['/b/'],
    );
  });

  it('a read drops a calendar at once that its provider no longer knows, without an error', async () => {
    server.provider.addCalendar(calendar('/b/'));
    await link(server);
    await read();
    server.provider.calendars.delete('/b/');

    later(11_000);
    const answer = (await read()).json();

    assert.equal(answer.errors, undefined);
    assert.deepEqual((await server.deps.mirror.listCalendars((await firstAccount()).accountKey)).length, 1);
    assert.equal((await health())?.state, 'active');
  });

  it('a read shows what it has when a sync is slow, reports no failure, and leaves the sync to a job', async () => {
    await link(server);
    await read();
    server.provider.put('/a/', resource('two', event('2026-11-11T09:00:00', { title: 'Two' })));
    server.provider.beforePart = slow.pass;
    const before = wait.bounds.length;

    later(11_000);
    const reading = read();
    await slow.until(1);
    wait.end();
    const answer = (await reading).json();

    assert.deepEqual(wait.bounds.slice(before), [5_000]);
    assert.equal(answer.events.length, 1);
    assert.equal(answer.errors, undefined);
    assert.ok((await dueJobs()).includes('sync-calendar'));
    assert.equal((await health())?.state, 'active');
  });

  it('a read reports a failure beside what it has, in the body of /events', async () => {
    await link(server);
    await read();
    server.provider.failures.push({ call: 'changes', error: down });

    later(11_000);
    const answer = (await read()).json();

    assert.deepEqual(
      answer.events.map(({ title }: { title: string }) => title),
      ['One'],
    );
    assert.deepEqual(answer.errors, [
      {
        provider: 'caldav',
        account: 'https://dav.example/ada/',
        code: 'unavailable',
        message: 'The server is down',
        reason: 'provider_unavailable',
        actor: 'nobody',
      },
    ]);
    assert.equal((await health())?.state, 'degraded');
  });

  it('a read reports a failure of the list in the header Kalends-Errors of /calendars, in ASCII', async () => {
    await link(server);
    await read();
    server.provider.failures.push({
      call: 'list',
      error: new ProviderError('unavailable', 'Kaputt — größer'),
    });

    later(11_000);
    const answer = await get(server, '/calendars', token);

    const header = String(answer.headers['kalends-errors']);
    assert.equal(answer.json().length, 1);
    assert.match(header, /^[\x20-\x7e]+$/);
    assert.equal(JSON.parse(header)[0].message, 'Kaputt — größer');
  });

  it('a provider that failed is not asked again within ten seconds, and the failure is forgotten after', async () => {
    await link(server);
    await read();
    server.provider.failures.push({ call: 'changes', error: down });
    later(11_000);
    await read();
    const calls = server.provider.calls.length;

    later(5_000);
    const during = (await read()).json();
    const callsDuring = server.provider.calls.length;
    later(6_000);
    const recovered = (await read()).json();

    assert.equal(callsDuring, calls);
    assert.equal(during.errors.length, 1);
    assert.equal(recovered.errors, undefined);
    assert.equal((await health())?.state, 'active');
  });

  it('a read leaves a provider alone for as long as it asked to', async () => {
    await link(server);
    await read();
    const busy = new ProviderError('rate_limited', 'Too many requests', { retryAfter: 60_000 });
    server.provider.failures.push({ call: 'changes', error: busy });
    later(11_000);
    await read();
    const calls = server.provider.calls.filter((call) => call.startsWith('changes')).length;

    later(45_000);
    const answer = (await read()).json();

    assert.equal(server.provider.calls.filter((call) => call.startsWith('changes')).length, calls);
    assert.equal(answer.errors[0].code, 'rate_limited');
  });

  it('a read tells that the user must connect again, and tries a refused password no further', async () => {
    await link(server);
    await read();
    server.provider.failures.push({
      call: 'changes',
      error: new ProviderError('unauthorized', 'The password was refused'),
    });
    later(11_000);
    await read();
    const calls = server.provider.calls.length;

    later(600_000);
    const answer = (await read()).json();

    assert.equal(server.provider.calls.length, calls);
    assert.equal(answer.events.length, 1);
    const { code, message, reason, actor } = answer.errors[0];
    assert.deepEqual(
      [code, message, reason, actor],
      ['reauth_required', 'The password was refused', 'password_refused', 'user'],
    );
    assert.equal((await health())?.state, 'reauth_required');
  });

  it('a read works again once the account is reconnected', async () => {
    await link(server);
    server.provider.failures.push({ call: 'list', error: new ProviderError('unauthorized', 'Refused') });
    assert.equal((await read()).statusCode, 503);

    await link(server);

    assert.deepEqual(await titles(), ['One']);
    assert.equal((await health())?.state, 'active');
  });

  it('a read is never silently empty: 503 when no account can be read at all', async () => {
    await link(server);
    server.provider.failures.push({ call: 'list', error: down });

    const answer = await read();

    assert.equal(answer.statusCode, 503);
    assert.equal(answer.json().code, 'providers_unavailable');
    assert.equal(answer.json().errors[0].code, 'unavailable');
    assert.equal((await get(server, '/calendars', token)).statusCode, 503);
  });

  it('a read shows one account while another cannot be read', async () => {
    await link(server);
    await link(server, { provider: 'apple', accountId: 'ada@icloud.example' });
    server.apple.failures.push({ call: 'list', error: down });

    const answer = (await read()).json();

    assert.equal(answer.events.length, 1);
    assert.deepEqual(
      answer.errors.map(({ provider, code }: Record<string, string>) => [provider, code]),
      [['apple', 'unavailable']],
    );
  });

  it('a read logs neither the contents of events nor credentials', async () => {
    await link(server);
    await read();
    server.provider.failures.push(
      { call: 'changes', error: down },
      { call: 'changes', error: new Error('bug') },
    );
    later(11_000);
    await read();
    later(11_000);
    const answer = (await read()).json();

    assert.equal(answer.errors[0].message.includes('bug'), false);
    const log = server.log.lines.join('\n');
    assert.match(log, /A sync failed/);
    assert.match(log, /internal error/);
    for (const secret of ['One', 'canary-password']) assert.ok(!log.includes(secret), secret);
  });
});
