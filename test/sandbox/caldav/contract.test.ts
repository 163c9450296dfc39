/** The CalDAV adapter on the sandbox's two servers, by the suite that real servers pass. */

import { caldavSandbox } from '../../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../../sandbox/core/clock.ts';
import { faultBoard } from '../../../sandbox/core/faults.ts';
import { calendarProviderContract } from '../../contract/calendar-provider.contract.ts';
import { type CalDavServer, makeCalendar, USERS } from '../../servers/process.ts';

for (const kind of ['caldav', 'icloud'] as const)
  calendarProviderContract({
    name: `the sandbox’s ${kind}`,
    program: process.execPath,
    start: (calendars) => start(kind, calendars),
    keepsProperties: true,
    unknownToken: 'sync_token_expired',
  });

async function start(kind: 'caldav' | 'icloud', calendars: readonly string[]): Promise<CalDavServer> {
  const sandbox = await caldavSandbox({ kind, clock: sandboxClock(), faults: faultBoard() });
  const calendarUrl = (user: string, name: string) => sandbox.calendarUrl(user, name);
  for (const [email, password] of Object.entries(USERS)) {
    await sandbox.manual.addPerson({ email, name: email, password });
    for (const name of calendars) await makeCalendar(email, calendarUrl(email, name));
  }
  // A partition of iCloud is also a complete server: a client that starts there stays there.
  const origin = sandbox.homeOrigin;
  return { name: kind, origin, typed: origin, calendarUrl, stop: () => sandbox.close() };
}
