/** A running program with the sandbox's Google set up, one application, and people with a calendar at that Google. */

import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import { type GoogleSandbox, googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { type Program, startProgram } from '../harness/program.ts';
import { walk } from '../sandbox/google/google-client.ts';
import type { Browser, Page } from './browser.ts';
import type { Application } from './flow.ts';

export const ADA = { email: 'ada@example.com', name: 'Ada Lovelace' };
export const BOB = { email: 'bob@example.com', name: 'Bob Bemer' };

const APP = { clientId: '1234-kalends.apps.googleusercontent.com', clientSecret: 'canary-app-secret' };

export type GoogleSite = {
  readonly program: Program;
  readonly google: GoogleSandbox;
  readonly application: Application;
  close(): Promise<void>;
};

/** Starts the program and the sandbox's Google; the caller closes them. */
export async function openGoogleSite(env: Readonly<Record<string, string>> = {}): Promise<GoogleSite> {
  const google = await googleSandbox({ clock: sandboxClock(), faults: faultBoard() });
  const { issuer, apiUrl } = google;
  const settings = {
    KALENDS_GOOGLE_CLIENT_ID: APP.clientId,
    KALENDS_GOOGLE_CLIENT_SECRET: APP.clientSecret,
    KALENDS_GOOGLE_ISSUER: issuer,
    KALENDS_GOOGLE_API_URL: apiUrl,
  };
  const program = await startProgram({ env: { ...settings, ...env } }).catch(async (reason) => {
    await google.close();
    throw reason;
  });
  google.registerApp({ ...APP, redirectUris: [`${program.url}/connect/google/callback`] });
  for (const person of [ADA, BOB]) {
    await google.manual.addPerson(person);
    await google.manual.addCalendar(person.email, { title: 'Work', timeZone: 'Europe/Paris' });
  }
  const application = { ...(await program.createClient({ displayName: 'Acme' })), url: program.url };
  const close = async () => {
    await program.dispose();
    await google.close();
  };
  return { program, google, application, close };
}

/** Signs in on Google's own pages after a redirect to them, and returns Kalends' next page. */
export async function passGoogle(browser: Browser, email: string): Promise<Page> {
  const { destination, body } = browser.page();
  if (destination === undefined) throw new Error(`The browser was not sent to Google: ${body}`);
  return browser.open(await walk(destination, { email }));
}
