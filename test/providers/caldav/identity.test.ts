/** The owner of a CalDAV account is what its server proves, not what it claims (docs/security.md T3, T4). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import type { VerifiedAccount } from '../../../src/calendars/calendar-provider.ts';
import { ProviderError, type ProviderErrorKind } from '../../../src/calendars/provider-error.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { appleProvider } from '../../../src/providers/apple/apple-provider.ts';
import { caldavProvider } from '../../../src/providers/caldav/caldav-provider.ts';
import {
  CALENDAR,
  type DavAnswer,
  type DavCall,
  multistatus,
  OddCalDav,
  present,
  principalNamed,
} from '../../servers/odd-caldav.ts';
import { basic, USERS } from '../../servers/process.ts';
import { recordingLog } from '../../servers/recording-log.ts';

const failsAs =
  (kind: ProviderErrorKind, message = /./) =>
  (failure: unknown) =>
    failure instanceof ProviderError && failure.kind === kind && message.test(failure.message);

const HOMES = '<c:calendar-home-set><d:href>/dav/ada/</d:href></c:calendar-home-set>';
const REFUSED: DavAnswer = { status: 401, headers: { 'www-authenticate': 'Basic realm="odd"' } };

describe('whose a CalDAV account is', () => {
  let server: OddCalDav;
  let victims: OddCalDav;
  let egress: Egress;
  const { log } = recordingLog();

  beforeEach(async () => {
    server = new OddCalDav();
    victims = new OddCalDav();
    await Promise.all([server.start(), victims.start()]);
    const hosts = ['dav.test', 'victim.test'];
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    egress = createEgress({ privateNetwork: { mode: 'hosts', hosts }, lookup });
  });
  afterEach(async () => {
    await egress.close();
    await Promise.all([server.stop(), victims.stop()]);
  });

  const at = (host: string, { origin }: OddCalDav) => origin.replace('127.0.0.1', host);
  const typed = () => at('dav.test', server);
  const caldav = () => caldavProvider({ egress, log, now: Date.now }).signIn;
  const verify = (login: { server?: string; username?: string } = {}): Promise<VerifiedAccount> =>
    caldav().verify({ server: typed(), username: 'ada', password: USERS.ada ?? '', ...login });
  /** Makes the server return these properties by path to every user; other requests behave as usual. */
  const answers = (properties: Readonly<Record<string, string>>) => {
    server.odd = ({ method, path }) => {
      const known = method === 'PROPFIND' ? properties[path] : undefined;
      return known === undefined ? undefined : multistatus(present(path, known));
    };
  };
  /** Makes the server accept these users, who all share one principal. */
  const acceptsAll = (...users: string[]) => {
    const known = users.map((user) => basic(user, USERS.ada));
    const ada = basic('ada');
    server.odd = (call: DavCall) => {
      if (!known.includes(call.authorization ?? '') && call.authorization !== ada) return REFUSED;
      if (call.path === '/') return multistatus(present('/', principalNamed('/principal/')));
      if (call.path === '/principal/')
        return multistatus(present('/principal/', principalNamed('/principal/') + HOMES));
      return multistatus(present(CALENDAR, '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>'));
    };
  };

  it('a server that names the principal of another server links nothing, and that one is asked nothing', async () => {
    const victim = `${at('victim.test', victims)}/principal/`;
    answers({ '/': principalNamed(victim) + HOMES });

    await assert.rejects(verify(), failsAs('invalid_response', /points to http:\/\/victim\.test/));

    assert.deepEqual(victims.calls, []);
  });

  it('a principal that names another one is refused, whatever homes were named', async () => {
    answers({
      '/': principalNamed('/principals/victim/') + HOMES,
      '/principals/victim/': principalNamed('/principals/ada/') + HOMES,
    });

    await assert.rejects(verify(), failsAs('invalid_response', /does not confirm it/));
  });

  it('a principal that names nobody is refused', async () => {
    answers({ '/': principalNamed('/principals/victim/') + HOMES, '/principals/victim/': HOMES });

    await assert.rejects(verify(), failsAs('invalid_response', /does not confirm it/));
  });

  for (const status of [403, 404, 410])
    it(`a principal that answers these credentials with ${status} is refused`, async () => {
      server.odd = ({ path }) => {
        if (path === '/') return multistatus(present(path, principalNamed('/principals/victim/') + HOMES));
        return path === '/principals/victim/' ? { status } : undefined;
      };

      await assert.rejects(verify(), failsAs('invalid_response', /does not confirm it/));
    });

  it('a principal that says that the user is nobody is taken for a wrong password', async () => {
    const nobody = '<d:current-user-principal><d:unauthenticated/></d:current-user-principal>';
    answers({ '/': principalNamed('/principals/victim/') + HOMES, '/principals/victim/': nobody });

    await assert.rejects(verify(), failsAs('unauthorized'));
  });

  it('a principal that redirects to another one is that other one', async () => {
    server.odd = ({ path }) => {
      if (path === '/') return multistatus(present(path, principalNamed('/principals/victim/')));
      if (path === '/principals/victim/') return { status: 307, headers: { location: '/principals/ada/' } };
      if (path !== '/principals/ada/') return undefined;
      return multistatus(present(path, principalNamed(path) + HOMES));
    };

    assert.equal((await verify()).identity, `${typed()} /principals/ada`);
  });

  it('a principal is known by principal-URL where the server does not say who the user is', async () => {
    const itself = '<d:principal-URL><d:href>/principals/ada/</d:href></d:principal-URL>';
    answers({ '/': principalNamed('/principals/ada/'), '/principals/ada/': itself + HOMES });

    assert.equal((await verify()).identity, `${typed()} /principals/ada`);
  });

  it('the calendars are those that the principal itself names', async () => {
    answers({
      '/': `${principalNamed('/principals/ada/')}<c:calendar-home-set><d:href>/dav/grace/</d:href></c:calendar-home-set>`,
      '/principals/ada/': principalNamed('/principals/ada/') + HOMES,
    });

    assert.deepEqual((await verify()).credentials.homes, [`${typed()}/dav/ada/`]);
  });

  it('a principal at an address too long to keep is refused', async () => {
    const path = `/${'p'.repeat(2000)}/`;
    answers({ '/': principalNamed(path), [path]: principalNamed(path) + HOMES });

    await assert.rejects(verify(), failsAs('invalid_response'));
  });

  it('users for whom a server names the same principal are different', async () => {
    acceptsAll('grace', 'Principal');

    const ada = await verify();
    const grace = await verify({ username: 'grace' });
    const plain = await verify({ username: 'Principal' });

    assert.equal(ada.accountId, grace.accountId);
    assert.deepEqual(
      [ada.identity, grace.identity, plain.identity],
      [`${typed()} /principal ada`, `${typed()} /principal grace`, `${typed()} /principal`],
    );
    assert.ok(ada.provesOwner && grace.provesOwner && plain.provesOwner);
  });

  const spelled: [string, string, string][] = [
    ['/principals/ada', '/principals/ada/', 'ada'],
    ['/principals/ada/', '/principals/%61da/', 'ADA'],
    ['/users/ada%40dav.test/', '/users/ada@dav.test/', 'Ada@dav.test'],
    ['/users/ada/', '/users/ada/', 'ada@dav.test'],
    ['/users/caf%c3%a9/', '/users/café/', 'Café'],
  ];
  for (const [first, second, username] of spelled)
    it(`the principals ${first} and ${second} of ${username} are one and the same`, async () => {
      server.odd = ({ path }) => {
        if (path === '/first/') return multistatus(present(path, principalNamed(first)));
        if (path === '/second/') return multistatus(present(path, principalNamed(second)));
        if (path.startsWith('/dav/'))
          return multistatus(
            present(CALENDAR, '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>'),
          );
        return multistatus(present(path, principalNamed(path) + HOMES));
      };

      const one = await verify({ server: `${typed()}/first/`, username });
      const other = await verify({
        server: `${typed().replace('dav.test', 'DAV.test')}/second/`,
        username: username.toLowerCase(),
      });

      assert.equal(one.identity, other.identity);
      assert.match(one.identity, /^http:\/\/dav\.test:\d+ \/\w+\/[^ ]+$/);
    });

  it('a calendar by address is known by that address and the user name, and proves nothing', async () => {
    server.odd = ({ path }) => (path === CALENDAR ? undefined : { status: 404 });

    const account = await verify({ server: typed() + CALENDAR });

    assert.equal(account.identity, `home ${typed()} /dav/ada/work ada`);
    assert.equal(account.provesOwner, false);
  });

  it('a long user name is known by its hash', async () => {
    const username = 'u'.repeat(500);
    acceptsAll(username);

    const { identity } = await verify({ username });

    assert.match(identity, /^http:\/\/dav\.test:\d+ \/principal sha256:[\w-]{43}$/);
  });

  describe('the probe with a wrong password', () => {
    const providers = {
      caldav,
      apple: () => appleProvider({ egress, log, now: Date.now, serverUrl: typed() }).signIn,
    };
    for (const [kind, signIn] of Object.entries(providers)) {
      const probe = async () => {
        const login = { server: typed(), username: 'ada', password: USERS.ada ?? '' };
        const { credentials } = await signIn().verify(login);
        server.calls.length = 0;
        return { ask: () => signIn().takesAnyPassword(credentials), principal: credentials.principal };
      };

      it(`the probe of ${kind} tells a server that knows its users, with one request for the same user`, async () => {
        const { ask, principal } = await probe();

        assert.equal(await ask(), false);

        const [call, ...more] = server.calls;
        assert.deepEqual(more, []);
        assert.equal(typed() + call?.path, principal);
        const sent = Buffer.from(call?.authorization?.split(' ')[1] ?? '', 'base64').toString();
        assert.match(sent, /^ada:.{16,}$/);
        assert.ok(!sent.includes(USERS.ada ?? ''));
      });

      it(`the probe of ${kind} tells a server that takes any password`, async () => {
        const { ask } = await probe();
        answers({ '/principal/': principalNamed('/principal/') + HOMES });

        assert.equal(await ask(), true);
      });
    }

    const refusing: [string, DavAnswer][] = [
      ['403', { status: 403 }],
      ['404', { status: 404 }],
      [
        'a principal that is nobody',
        multistatus(
          present('/', '<d:current-user-principal><d:unauthenticated/></d:current-user-principal>'),
        ),
      ],
      ['the principal of another', multistatus(present('/', principalNamed('/guest/')))],
    ];
    for (const [name, answer] of refusing)
      it(`the probe takes ${name} for a refusal`, async () => {
        const { credentials } = await verify();
        server.odd = () => answer;

        assert.equal(await caldav().takesAnyPassword(credentials), false);
      });

    it('the probe takes a calendar by address that answers for a server that takes any password', async () => {
      server.odd = ({ path }) => (path === CALENDAR ? undefined : { status: 404 });
      const { credentials } = await verify({ server: typed() + CALENDAR });
      answers({ [CALENDAR]: '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>' });

      assert.equal(await caldav().takesAnyPassword(credentials), true);
    });

    const silent: [string, DavAnswer, ProviderErrorKind][] = [
      ['asks to wait', { status: 429 }, 'rate_limited'],
      ['is out of order', { status: 503 }, 'unavailable'],
      ['answers no XML', { status: 207, body: 'hello' }, 'invalid_response'],
    ];
    for (const [name, answer, kind] of silent)
      it(`the probe of a server that ${name} proves nothing: it fails`, async () => {
        const { credentials } = await verify();
        server.odd = () => answer;

        await assert.rejects(caldav().takesAnyPassword(credentials), failsAs(kind));
      });

    it('the probe of a server that is gone proves nothing: it fails', async () => {
      const { credentials } = await verify();
      await server.stop();

      await assert.rejects(caldav().takesAnyPassword(credentials), failsAs('unavailable'));
      await server.start();
    });
  });
});
