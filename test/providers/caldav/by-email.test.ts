/** A CalDAV account by nothing but e-mail address and password: service records and known providers (RFC 6764). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { ProviderError } from '../../../src/calendars/provider-error.ts';
import { CALDAV_PRESETS, detectPreset, isPattern } from '../../../src/connect/accounts/caldav-presets.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { EgressError } from '../../../src/lib/egress/egress-error.ts';
import { caldavProvider } from '../../../src/providers/caldav/caldav-provider.ts';
import { readServerAddress } from '../../../src/providers/caldav/dav/server-address.ts';
import type { ServiceDns } from '../../../src/providers/caldav/dav/service-records.ts';
import { counterpart } from '../../harness/counterpart.ts';
import { OddCalDav } from '../../servers/odd-caldav.ts';
import { basic, type ManagedCalDavServer } from '../../servers/process.ts';
import { RADICALE, startRadicale } from '../../servers/radicale.ts';
import { recordingLog } from '../../servers/recording-log.ts';
import { OPENSSL, startTlsFront, type TlsFront } from '../../servers/tls-front.ts';

const EMAIL = 'ada@calendars.test';
const PASSWORD = 'correct horse';
const HOST = 'dav.calendars.test';

describe('a CalDAV account by e-mail address', counterpart('OpenSSL', OPENSSL), () => {
  let front: TlsFront;
  let egress: Egress;
  /** The origin that the front passes requests to. */
  let behind: string;
  const { log } = recordingLog();
  const lookups: string[] = [];

  before(async () => {
    front = await startTlsFront([HOST], () => behind);
    front.trust();
    // The domain itself has no address, as many have none.
    const lookup = async (host: string) => {
      if (host === HOST) return [{ address: '127.0.0.1', family: 4 }];
      throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' });
    };
    egress = createEgress({ privateNetwork: { mode: 'hosts', hosts: [HOST] }, lookup });
  });
  after(async () => {
    await egress?.close();
    await front?.stop();
  });

  const dns: ServiceDns = {
    async resolveSrv(name) {
      lookups.push(name);
      return [{ name: HOST, port: front.port, priority: 0, weight: 0 }];
    },
    resolveTxt: async () => [['path=/']],
  };
  const verify = (username: string, server?: string) =>
    caldavProvider({ egress, log, now: Date.now, dns }).signIn.verify({
      ...(server === undefined ? {} : { server }),
      username,
      password: PASSWORD,
    });

  describe('at Radicale', counterpart('Radicale', RADICALE), () => {
    let radicale: ManagedCalDavServer;

    before(async () => {
      radicale = await startRadicale();
      await radicale.setPassword(EMAIL, PASSWORD);
      const authorization = basic(EMAIL, PASSWORD);
      const made = await fetch(`${radicale.origin}/${EMAIL}/work/`, {
        method: 'MKCALENDAR',
        headers: { authorization },
      });
      assert.equal(made.status, 201);
      behind = radicale.origin;
    });
    after(() => radicale?.stop());

    it('is found by the records of its domain, with nothing else typed', async () => {
      lookups.length = 0;

      const account = await verify(EMAIL);

      const origin = `https://${HOST}:${front.port}`;
      assert.deepEqual(lookups, ['_caldavs._tcp.calendars.test']);
      assert.ok(account.accountId.startsWith(`${origin}/`), account.accountId);
      assert.equal(account.identity, `${origin} /${EMAIL}`);
      assert.equal(account.provesOwner, true);
    });

    it('is the same account as by the address of its server, however the address is spelled', async () => {
      const found = await verify(EMAIL);
      const typed = await verify(EMAIL, `https://${HOST.toUpperCase()}:${front.port}/`);
      const domain = await verify(EMAIL, ` ${EMAIL.toUpperCase()} `);

      assert.deepEqual([typed.identity, domain.identity], [found.identity, found.identity]);
      assert.deepEqual([typed.accountId, domain.accountId], [found.accountId, found.accountId]);
    });

    it('can be read as soon as it is linked', async () => {
      const { credentials } = await verify(EMAIL);

      const calendars = await caldavProvider({ egress, log, now: Date.now, dns })
        .open(credentials)
        .listCalendars();

      assert.equal(calendars.length, 1);
    });
  });

  it('is looked for at the host that the records name before the domain’s own, which is most often a web site', async () => {
    const asked: string[] = [];
    const nobody: Egress = {
      async request({ url }) {
        asked.push(new URL(url).host);
        throw new EgressError('unreachable', 'not here');
      },
      async close() {},
    };
    const { signIn } = caldavProvider({ egress: nobody, log, now: Date.now, dns });

    await assert.rejects(signIn.verify({ username: EMAIL, password: PASSWORD }), ProviderError);

    assert.deepEqual(asked.slice(0, 2), [`${HOST}:${front.port}`, 'calendars.test']);
  });

  for (const username of ['ada', 'https://ada.test/', 'ada.test', 'ada@', '@ada.test', 'a b@ada.test'])
    it(`is no other user name: ${username} without a server is sent nowhere`, async () => {
      lookups.length = 0;

      await assert.rejects(
        verify(username),
        (failure) => failure instanceof ProviderError && failure.kind === 'invalid_response',
      );

      assert.deepEqual(lookups, []);
    });

  it('is asked for once with the whole address, where the server knows its users by other names', async () => {
    const server = new OddCalDav();
    await server.start();
    behind = server.origin;

    await assert.rejects(
      verify(EMAIL),
      (failure) => failure instanceof ProviderError && failure.kind === 'unauthorized',
    );

    assert.deepEqual(
      server.calls.map(({ authorization }) => authorization),
      [basic(EMAIL, PASSWORD)],
    );
    await server.stop();
  });
});

describe('an e-mail address at a known provider', () => {
  const known = CALDAV_PRESETS.filter((preset) => !isPattern(preset));
  for (const preset of known)
    it(`leads to ${preset.name} for each of its domains`, () => {
      for (const domain of preset.domains) {
        const { url } = readServerAddress(`Ada@${domain.toUpperCase()}`);

        assert.equal(detectPreset(url.href, undefined)?.id, preset.id, domain);
      }
    });

  const rows: [string, string][] = [
    ['ada@fastmail.fm', 'https://caldav.fastmail.com/dav/'],
    ['ada@mailbox.org', 'https://dav.mailbox.org/'],
    ['ada@gmx.at', 'https://caldav.gmx.net/'],
    ['ada@gmx.com', 'https://caldav.gmx.com/'],
    ['ada@posteo.net', 'https://posteo.de:8443/'],
    ['ada@zoho.eu', 'https://calendar.zoho.eu/caldav/'],
    ['ada@zohomail.com', 'https://calendar.zoho.com/caldav/'],
    ['ada@zoho.com.au', 'https://calendar.zoho.com.au/caldav/'],
    ['ada@ya.ru', 'https://caldav.yandex.ru/'],
    ['ada@web.de', 'https://caldav.web.de/'],
    ['ada@me.com', 'https://caldav.icloud.com/'],
  ];
  for (const [address, server] of rows)
    it(`leads ${address} to ${server}`, () => {
      assert.equal(readServerAddress(address).url.href, server);
    });

  it('is asked for its records as well where its domain is not known', () => {
    const { url, domain } = readServerAddress('ada@calendars.test');

    assert.deepEqual([url.href, domain], ['https://calendars.test/', 'calendars.test']);
  });
});
