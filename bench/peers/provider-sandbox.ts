/**
 * Starts one of the sandbox's providers with a calendar of many events. Arguments: the kind, the number of events, and
 * `heavy` if each is a series that Kalends places in a thread. It sends its addresses over the IPC channel.
 */
import { caldavSandbox } from '../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import { googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { microsoftSandbox } from '../../sandbox/microsoft/microsoft-sandbox.ts';

/** The app that both Google and Microsoft know. */
export const SANDBOX_APP = { clientId: 'bench-app', clientSecret: 'bench-secret' };
export const SANDBOX_REDIRECT_URI = 'https://bench.example/callback';
export const SANDBOX_PERSON = { email: 'ada@bench.example', name: 'Ada', password: 'abcd-efgh-ijkl-mnop' };

export type SandboxKind = 'google' | 'microsoft' | 'caldav';
export type SandboxHello = { readonly origin: string; readonly issuer: string; readonly apiUrl: string };

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);

async function startSandbox(kind: string) {
  const deps = { clock: sandboxClock(), faults: faultBoard() };
  const apps = [{ ...SANDBOX_APP, redirectUris: [SANDBOX_REDIRECT_URI] }];
  if (kind === 'google') return googleSandbox({ ...deps, apps });
  if (kind === 'microsoft') return microsoftSandbox({ ...deps, apps });
  return { ...(await caldavSandbox({ ...deps, kind: 'caldav' })), issuer: '', apiUrl: '' };
}

if (import.meta.main) {
  const [, , kind = '', events = '0', weight] = process.argv;
  const sandbox = await startSandbox(kind);
  const { email } = SANDBOX_PERSON;
  await sandbox.manual.addPerson(SANDBOX_PERSON);
  const calendarId = await sandbox.manual.addCalendar(email, { title: 'Work', timeZone: 'Europe/Vienna' });
  for (let i = 0; i < Number(events); i += 1) {
    const at = (hours: number) => ({
      dateTime: new Date(START + (i + hours) * HOUR).toISOString().slice(0, 19),
      timeZone: 'Europe/Vienna',
    });
    await sandbox.manual.createEvent(email, calendarId, {
      title: `Meeting ${i}`,
      start: at(0),
      end: at(1),
      location: 'Room 4',
      description: 'What there is to say of it, in a sentence or two.',
      attendees: [{ email: 'grace@example.com' }],
      ...(weight === 'heavy' && { recurrence: { frequency: 'daily', count: 1_000 } }),
    });
  }
  process.on('disconnect', () => process.exit());
  const { origin, issuer, apiUrl } = sandbox;
  process.send?.({ origin, issuer, apiUrl } satisfies SandboxHello);
}
