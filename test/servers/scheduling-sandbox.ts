/** The sandbox's CalDAV server with scheduling on, in the form of the real ones. */
import { caldavSandbox } from '../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import { makeCalendar, USERS } from './process.ts';
import { itipMessageOf, type SchedulingServer } from './scheduling.ts';

const addressOf = (user: string): string => `${user}@caldav.example`;

export async function startSchedulingSandbox(calendars: readonly string[]): Promise<SchedulingServer> {
  const sandbox = await caldavSandbox({
    kind: 'caldav',
    clock: sandboxClock(),
    faults: faultBoard(),
    schedules: true,
  });
  const calendarUrl = (user: string, name: string) => sandbox.calendarUrl(user, name);
  for (const [user, password] of Object.entries(USERS)) {
    await sandbox.manual.addPerson({ email: user, name: user, password });
    for (const name of calendars) await makeCalendar(user, calendarUrl(user, name));
  }
  let taken = 0;
  return {
    name: 'the sandbox with scheduling',
    origin: sandbox.origin,
    typed: sandbox.origin,
    calendarUrl,
    addressOf,
    invitationsUrl: (user) => calendarUrl(user, calendars[0] ?? ''),
    async takeSent() {
      const sent = sandbox.sent().slice(taken);
      taken += sent.length;
      return sent.map(({ icalendar, to, by }) => ({ ...itipMessageOf(icalendar), to, by }));
    },
    async setPassword() {
      throw new Error('Nobody gets another password here');
    },
    stop: () => sandbox.close(),
  };
}
