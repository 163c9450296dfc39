/** A running program with one application, and a calendar server that its users' calendars are on. */

import { existsSync } from 'node:fs';

import { type Program, type ProgramOptions, startProgram } from '../harness/program.ts';
import { type CalDavServer, send, USERS } from '../servers/process.ts';
import { RADICALE, startRadicale } from '../servers/radicale.ts';
import type { Application, CalendarLogin } from './flow.ts';

/** For `{ skip }` of what links an account. */
export const WITHOUT_RADICALE = existsSync(RADICALE) ? false : 'radicale is not installed';

export type Site = {
  readonly program: Program;
  readonly application: Application;
  /** A second application, with another redirect URI and a display name. */
  readonly other: Application;
  readonly calendars: CalDavServer;
  readonly login: CalendarLogin;
  close(): Promise<void>;
};

const OTHER_REDIRECT_URI = 'https://other.example/back?tenant=7';
export const OTHER_NAME = 'Zeta & Söhne';

/** Starts both; the caller closes them. */
export async function openSite(options: ProgramOptions = {}): Promise<Site> {
  const calendars = await startRadicale();
  const program = await startProgram(options).catch(async (reason) => {
    await calendars.stop();
    throw reason;
  });
  return {
    program,
    ...(await registerBoth(program)),
    calendars,
    login: loginOf(calendars, 'ada'),
    async close() {
      await program.dispose();
      await calendars.stop();
    },
  };
}

/** The same site for other tests: with applications of their own they have users of their own. */
export const withOwnApplications = async (site: Site): Promise<Site> => ({
  ...site,
  ...(await registerBoth(site.program)),
});

async function registerBoth(program: Program): Promise<Pick<Site, 'application' | 'other'>> {
  const { url } = program;
  const named = { name: 'Other', redirectUri: OTHER_REDIRECT_URI, displayName: OTHER_NAME };
  return {
    application: { ...(await program.createClient()), url },
    other: { ...(await program.createClient(named)), url },
  };
}

/** How one of the server's users signs in. */
export const loginOf = ({ typed }: CalDavServer, username: string): CalendarLogin => ({
  server: typed,
  username,
  password: USERS[username] ?? '',
});

/** Puts an iCalendar object with these lines inside into the calendar `work` of ada. */
export async function putEvent(
  calendars: CalDavServer,
  name: string,
  lines: readonly string[],
): Promise<void> {
  const all = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...lines, 'END:VCALENDAR', ''];
  await send('ada', 'PUT', `${calendars.calendarUrl('ada', 'work')}${name}.ics`, all.join('\r\n'));
}
