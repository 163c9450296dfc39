/**
 * A hostile CalDAV server that claims to be another user's (docs/security.md T3), on the running program, with the
 * victim's calendars on a real server.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, beforeEach, describe, it } from 'node:test';

import {
  CALENDAR,
  type DavAnswer,
  type DavCall,
  multistatus,
  OddCalDav,
  present,
  principalNamed,
} from '../servers/odd-caldav.ts';
import { basic, USERS } from '../servers/process.ts';
import { buttonsOf, openBrowser, textOf } from './browser.ts';
import {
  allow,
  authorizeUrl,
  connect,
  exchange,
  linkAccount,
  read,
  type TokenPair,
  tokensOf,
} from './flow.ts';
import { openSite, type Site, WITHOUT_RADICALE } from './site.ts';

const EVENT = { start: '2026-12-01T10:00:00Z', end: '2026-12-01T11:00:00Z' };
/** The hostile server accepts any password. */
const EVE = { username: 'ada', password: 'whatever eve likes' };

describe('a CalDAV server of an attacker’s', { skip: WITHOUT_RADICALE }, () => {
  let site: Site;
  let hostile: OddCalDav;
  let tokens: TokenPair;
  before(async () => {
    site = await openSite();
    hostile = new OddCalDav();
    await hostile.start();
    tokens = await connect(site.application, { userId: 'ada', login: site.login });
    await read(site.application, '/calendars', tokens.accessToken);
  });
  after(async () => {
    await hostile?.stop();
    await site?.close();
  });
  beforeEach(() => {
    hostile.calls.length = 0;
    hostile.odd = () => undefined;
  });

  const victimPrincipal = () => `${site.calendars.origin}/ada/`;
  const homeOf = (url: string) => `<c:calendar-home-set><d:href>${url}</d:href></c:calendar-home-set>`;
  /** Returns a server's behavior: it accepts any password and returns these properties for a PROPFIND of any path. */
  const says =
    (properties: () => string) =>
    (call: DavCall): DavAnswer | undefined =>
      call.kind === 'PROPFIND' && !call.path.startsWith('/dav/')
        ? multistatus(present(call.path, properties()))
        : undefined;
  const redirects = (call: DavCall): DavAnswer | undefined =>
    call.kind === 'PROPFIND' ? { status: 307, headers: { location: victimPrincipal() } } : undefined;

  const rows = () => {
    const db = new DatabaseSync(path.join(site.program.dataDir, 'kalends.db'), { readOnly: true });
    const accounts = db
      .prepare('SELECT account_key, account_id, identity, credentials, times_linked, group_id FROM account')
      .all();
    db.close();
    return accounts.map((row) => ({ ...row }));
  };

  /** Writes into every calendar that the application sees; returns the titles on the victim's own server afterwards. */
  const writeConfidential = async (title: string): Promise<string[]> => {
    const listed = await (await read(site.application, '/calendars', tokens.accessToken)).text();
    const calendars: { id: string }[] = JSON.parse(listed);
    assert.ok(calendars.length > 0, listed);
    for (const { id } of calendars) {
      const answer = await fetch(`${site.application.url}/event`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ provider: 'caldav', calendarId: id, title, ...EVENT }),
      });
      assert.ok(answer.ok, `${answer.status} ${await answer.text()}`);
    }
    const found = await fetch(site.calendars.calendarUrl('ada', 'work'), {
      headers: { authorization: basic('ada') },
    });
    return [...(await found.text()).matchAll(/SUMMARY:(.*?)\r?\n/g)].map(([, summary = '']) => summary);
  };

  for (const [name, odd] of [
    [
      'answers current-user-principal with the victim’s',
      says(() => principalNamed(victimPrincipal()) + homeOf('/dav/ada/')),
    ],
    [
      'names the victim’s calendars beside itself',
      says(() => principalNamed('/') + homeOf(victimPrincipal())),
    ],
    ['redirects to the victim’s', redirects],
  ] as const) {
    it(`a server that ${name} is refused, and takes over nothing`, async () => {
      hostile.odd = odd;
      const before = rows();
      const eve = openBrowser();
      await eve.open(authorizeUrl(site.application, { userId: 'ada' }));

      const refused = await linkAccount(eve, { server: hostile.origin, ...EVE });

      assert.equal(refused.status, 422, textOf(refused.body));
      assert.deepEqual(rows(), before, 'the victim’s row is untouched, and there is no other');
      await eve.open(authorizeUrl(site.application, { userId: 'ada' }));
      assert.deepEqual(
        buttonsOf(eve.page().body).filter((label) => /^(Continue|Allow|Done)$/.test(label)),
        [],
      );
      const title = `CONFIDENTIAL ${name}`;
      assert.ok((await writeConfidential(title)).includes(title), 'the victim’s server has it');
      assert.ok(!JSON.stringify(hostile.calls).includes('CONFIDENTIAL'));
    });
  }

  it('a server that is honest about itself is linked for its owner alone, and sees none of the victim’s events', async () => {
    const eve = openBrowser();
    await eve.open(authorizeUrl(site.application, { userId: 'ada' }));
    const [victim] = rows();

    await linkAccount(eve, { server: hostile.origin, username: 'ada', password: USERS.ada ?? '' });
    await allow(eve);
    const eves = await tokensOf(await exchange(site.application, 'ada'));

    assert.deepEqual(
      rows().filter(({ account_key: key }) => key === victim?.account_key),
      [victim],
    );
    assert.ok((await writeConfidential('CONFIDENTIAL at last')).includes('CONFIDENTIAL at last'));
    assert.ok(!JSON.stringify(hostile.calls).includes('CONFIDENTIAL'));
    const seen = await (await read(site.application, '/calendars', eves.accessToken)).text();
    assert.ok(seen.includes(CALENDAR), seen);
    assert.ok(!seen.includes(site.calendars.origin), 'the attacker’s tokens see the attacker’s calendars');
  });
});
