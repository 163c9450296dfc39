/** Signing in to a server that names more than anybody has: it costs a few requests, and is said. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { ProviderError } from '../../../src/calendars/provider-error.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../../src/providers/caldav/caldav-provider.ts';
import { multistatus, OddCalDav, present, principalNamed } from '../../servers/odd-caldav.ts';
import { USERS } from '../../servers/process.ts';
import { recordingLog } from '../../servers/recording-log.ts';
import { type WorkHere, workHere } from '../../servers/work-here.ts';

const HOME = '/dav/ada/';
const LIMITS = { calendarHomes: 10, calendarsPerAccount: 20, requestsPerForm: 30 };
const calendarAt = (href: string) =>
  present(href, '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>');

describe('signing in to a hostile CalDAV server', () => {
  let server: OddCalDav;
  let egress: Egress;
  let work: WorkHere;
  const { log, entries } = recordingLog();

  beforeEach(async () => {
    server = new OddCalDav();
    await server.start();
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
    work = workHere();
  });
  afterEach(async () => {
    await egress.close();
    await server.stop();
  });

  const dns = { resolveSrv: async () => [], resolveTxt: async () => [] };
  const provider = () => caldavProvider({ egress, log, now: Date.now, dns, syncWork: work, limits: LIMITS });
  const verify = () =>
    provider().signIn.verify({ server: server.origin, username: 'ada', password: USERS.ada ?? '' });
  const homesAre = (homes: readonly string[]) => {
    const hrefs = homes.map((href) => `<d:href>${href}</d:href>`).join('');
    server.odd = ({ path }) =>
      path === '/principal/'
        ? multistatus(
            present(path, `${principalNamed(path)}<c:calendar-home-set>${hrefs}</c:calendar-home-set>`),
          )
        : undefined;
  };
  const manyHomes = (count: number) => Array.from({ length: count }, (_, index) => `${HOME}?${index}`);

  it('takes ten homes of calendars, and says that more are too many', async () => {
    homesAre([HOME, ...manyHomes(9)]);
    server.odd = ((odd) => (call) => {
      return call.path.startsWith(`${HOME}?`) ? multistatus('') : odd(call);
    })(server.odd);
    assert.equal((await verify()).accountId, `${server.origin}/principal/`);

    homesAre([HOME, ...manyHomes(10)]);
    await assert.rejects(
      verify(),
      (failure: unknown) => failure instanceof ProviderError && failure.detail === 'too_many_homes',
    );
  });

  it('asks none of fifty thousand homes', async () => {
    homesAre(manyHomes(50_000));

    await assert.rejects(verify(), { kind: 'too_large' });

    assert.equal(server.calls.filter(({ path }) => path.startsWith(HOME)).length, 0);
    assert.ok(server.calls.length <= 30, `${server.calls.length} requests`);
    assert.ok(work.takeTasks().includes('caldav-properties'));
  });

  it('sends no more than thirty requests, wherever it is led to', async () => {
    let step = 0;
    server.odd = () => {
      step += 1;
      return step % 5 === 0 ? { status: 404 } : { status: 307, headers: { location: `/on/${step}` } };
    };

    await assert.rejects(
      verify(),
      (failure: unknown) => failure instanceof ProviderError && failure.detail === 'too_many_requests',
    );
    assert.equal(server.calls.length, 30);
  });

  it('holds one calendar more than an account may have, however many there are', async () => {
    const { credentials } = await verify();
    const calendars = Array.from({ length: 5000 }, (_, index) => calendarAt(`${HOME}${index}/`)).join('');
    server.odd = ({ path }) => (path === HOME ? multistatus(calendars) : undefined);

    const listed = await provider().open(credentials).listCalendars();

    assert.deepEqual(
      listed.map(({ title }) => title),
      Array.from({ length: 21 }, (_, index) => String(index)),
    );
  });

  it('logs foreign calendars of a home a few times, however many it lists', async () => {
    const { credentials } = await verify();
    entries.length = 0;
    const foreign = (index: number) => calendarAt(`https://foreign${index}.example/`);
    const calendars = Array.from({ length: 2000 }, (_, index) => foreign(index)).join('');
    server.odd = ({ path }) => (path === HOME ? multistatus(calendars) : undefined);

    assert.deepEqual(await provider().open(credentials).listCalendars(), []);
    assert.ok(entries.length > 0 && entries.length < 50, `${entries.length} entries`);
  });

  it('says what nobody can read, where a property has more than anybody has', async () => {
    const { credentials } = await verify();
    const privileges = '<d:privilege><d:write/></d:privilege>'.repeat(50_000);
    const property = `<d:current-user-privilege-set>${privileges}</d:current-user-privilege-set>`;
    const calendar = calendarAt(`${HOME}a/`).replace('</d:prop>', `${property}</d:prop>`);
    server.odd = ({ path }) => (path === HOME ? multistatus(calendar) : undefined);

    const [listed] = await provider().open(credentials).listCalendars();

    assert.equal(listed?.access, 'write');
    assert.ok(JSON.stringify(listed).length < 60_000);
  });
});
