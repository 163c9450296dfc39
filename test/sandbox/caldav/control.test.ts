/** The control page and its endpoint show the messages that a server sent. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type CalDavSandbox, caldavSandbox } from '../../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../../sandbox/core/clock.ts';
import { controlRoute } from '../../../sandbox/core/control.route.ts';
import { faultBoard } from '../../../sandbox/core/faults.ts';
import { createServer } from '../../../src/http/server.ts';
import { recordingLog } from '../../servers/recording-log.ts';

const MARA = { email: 'mara', name: 'Mara' };
const at = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });

describe('the messages of a server that schedules', () => {
  const deps = { clock: sandboxClock(), faults: faultBoard() };
  const app = createServer({ log: recordingLog().log, trustProxy: undefined, secure: false });
  let sandbox: CalDavSandbox;
  before(async () => {
    sandbox = await caldavSandbox({ ...deps, kind: 'caldav', schedules: true });
    await app.register(controlRoute({ ...deps, sent: sandbox.sent }));
  });
  after(async () => {
    await app.close();
    await sandbox?.close();
  });

  it('the controls show who was invited by whom, and how, as text', async () => {
    await sandbox.manual.addPerson(MARA);
    const calendar = await sandbox.manual.addCalendar(MARA.email, { title: 'Work', timeZone: 'UTC' });

    const empty = await app.inject('/control');
    await sandbox.manual.createEvent(MARA.email, calendar, {
      title: 'Lunch, <b>',
      start: at('2026-11-23T12:00:00'),
      end: at('2026-11-23T13:00:00'),
      attendees: [{ email: 'bob@elsewhere.example' }],
    });
    const page = await app.inject('/control');
    const listed = await app.inject('/control/messages');

    assert.match(empty.body, /Nothing yet/);
    assert.match(page.body, /Lunch, &#60;b/);
    assert.match(page.body, /mara@caldav\.example invites or updates bob@elsewhere\.example by mail/);
    const [message] = listed.json().messages;
    assert.deepEqual([message.method, message.to, message.by], ['REQUEST', 'bob@elsewhere.example', 'mail']);
    assert.match(message.icalendar, /METHOD:REQUEST/);
  });
});
