/** Servers that do not say whose login it is (RFC 3744 without RFC 5397): what a typed principal proves (docs/security.md T3). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../../src/providers/caldav/caldav-provider.ts';
import { CALENDAR, multistatus, OddCalDav, present } from '../../servers/odd-caldav.ts';
import { basic } from '../../servers/process.ts';
import { recordingLog } from '../../servers/recording-log.ts';

const HOMES = '<c:calendar-home-set><d:href>/dav/ada/</d:href></c:calendar-home-set>';
const CALENDAR_TYPE = '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>';

describe('a login whose server does not say who the user is', () => {
  let server: OddCalDav;
  let egress: Egress;
  beforeEach(async () => {
    server = new OddCalDav();
    await server.start();
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  });
  afterEach(async () => {
    await egress.close();
    await server.stop();
  });

  it('a typed principal does not prove its user if every principal names itself', async () => {
    const users = ['ada@one.test', 'ada@other.test'].map((user) => basic(user, 'secret'));
    // RFC 3744 without RFC 5397: each user may look at each principal, which says its own address.
    server.odd = ({ path, authorization }) => {
      if (!users.includes(authorization ?? '')) return { status: 401 };
      if (path.startsWith('/dav/')) return multistatus(present(CALENDAR, CALENDAR_TYPE));
      const itself = `<d:principal-URL><d:href>${path}</d:href></d:principal-URL>`;
      return multistatus(present(path, itself + HOMES));
    };
    const { signIn } = caldavProvider({ egress, log: recordingLog().log, now: Date.now });
    const principal = `${server.origin}/principals/ada/`;
    const login = { server: principal, password: 'secret' };

    const one = await signIn.verify({ ...login, username: 'ada@one.test' });
    const other = await signIn.verify({ ...login, username: 'ada@other.test' });

    assert.ok(!one.provesOwner || one.identity !== other.identity, `both are ${one.identity}`);
  });
});
