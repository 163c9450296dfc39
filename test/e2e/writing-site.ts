/** Running instances of the program whose user has a calendar at the sandbox's Google, Microsoft and CalDAV server. */
import { randomBytes } from 'node:crypto';

import { caldavSandbox } from '../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import type { ProviderSandbox } from '../../sandbox/core/provider-sandbox.ts';
import { type GoogleSandbox, googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { completeSignIn } from '../../sandbox/microsoft/complete-sign-in.ts';
import { type MicrosoftSandbox, microsoftSandbox } from '../../sandbox/microsoft/microsoft-sandbox.ts';
import { type Program, startProgram } from '../harness/program.ts';
import { walk } from '../sandbox/google/google-client.ts';
import { openBrowser } from './browser.ts';
import { type Application, allow, authorizeUrl, exchange, jsonOf, linkAccount, tokensOf } from './flow.ts';

const APP = { clientId: '11111111-2222-4333-8444-555555555555', clientSecret: 'sandbox-app-secret' };
const ADA = { email: 'ada@example.com', name: 'Ada Lovelace' };
const DAV_ADA = { email: 'ada', name: 'Ada Lovelace', password: 'difference-engine' };

export type WritableProvider = 'google' | 'microsoft' | 'caldav';

/** One calendar of the user, as GET /calendars names it. */
type WritableCalendar = { readonly provider: WritableProvider; readonly calendarId: string };

/** The response to a request; `text` is the body as it was received. */
export type Answered = {
  readonly status: number;
  readonly text: string;
  readonly body: Record<string, unknown>;
};

export type WritingSite = Awaited<ReturnType<typeof openWritingSite>>;

/** Starts providers and instances, and connects the accounts; the caller closes all. */
export async function openWritingSite(
  options: { readonly databaseUrl?: string | undefined; readonly instances?: number } = {},
) {
  const stops: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    return { ...(await open(options, (stop) => stops.push(stop))), close };
  } catch (reason) {
    await close();
    throw reason;
  }
}

async function open(
  { databaseUrl, instances = 1 }: { databaseUrl?: string | undefined; instances?: number },
  later: (stop: () => Promise<unknown>) => void,
) {
  const deps = { clock: sandboxClock(), faults: faultBoard() };
  const google = await googleSandbox(deps);
  later(() => google.close());
  const microsoft = await microsoftSandbox(deps);
  later(() => microsoft.close());
  const caldav = await caldavSandbox({ ...deps, kind: 'caldav' });
  later(() => caldav.close());
  const env = {
    KALENDS_MASTER_KEY: randomBytes(32).toString('base64'),
    ...settingsOf('GOOGLE', google),
    ...settingsOf('MICROSOFT', microsoft),
  };
  const programs: Program[] = [];
  for (let i = 0; i < instances; i++) {
    const program = await startProgram({ databaseUrl, env });
    later(() => program.dispose());
    programs.push(program);
  }
  for (const sandbox of [google, microsoft]) {
    const redirectUris = programs.map(({ url }) => `${url}/connect/${sandbox.kind}/callback`);
    sandbox.registerApp({ ...APP, redirectUris });
  }
  const shownAt = await furnish({ google, microsoft, caldav });

  const [program] = programs;
  if (program === undefined) throw new Error('At least one instance is needed');
  const registration = await program.createClient();
  const application: Application = { ...registration, url: program.url };
  const token = await connectAll(application, caldav.origin);
  const calendars = await calendarsOf(application, token);
  return { programs, program, application, token, calendars, shownAt };
}

async function connectAll(application: Application, server: string): Promise<string> {
  const browser = openBrowser();
  await browser.open(authorizeUrl(application, { userId: 'ada' }));
  const google = await browser.press('Connect Google');
  if (google.destination === undefined) throw new Error('The browser was not sent to Google');
  await browser.open(await walk(google.destination, { email: ADA.email }));
  const microsoft = await browser.press('Connect Microsoft');
  if (microsoft.destination === undefined) throw new Error('The browser was not sent to Microsoft');
  await browser.open(await completeSignIn(microsoft.destination, { account: ADA.email }));
  await linkAccount(browser, { server, username: DAV_ADA.email, password: DAV_ADA.password });
  await allow(browser);
  return (await tokensOf(await exchange(application, 'ada'))).accessToken;
}

const settingsOf = (name: string, { issuer, apiUrl }: GoogleSandbox | MicrosoftSandbox) => ({
  [`KALENDS_${name}_CLIENT_ID`]: APP.clientId,
  [`KALENDS_${name}_CLIENT_SECRET`]: APP.clientSecret,
  [`KALENDS_${name}_ISSUER`]: issuer,
  [`KALENDS_${name}_API_URL`]: apiUrl,
});

/**
 * Adds a calendar called Work at each provider; returns a function that reads its occurrences at the provider itself.
 */
async function furnish(sandboxes: Readonly<Record<WritableProvider, ProviderSandbox>>) {
  const calendars = new Map<string, string>();
  for (const [provider, { manual }] of Object.entries(sandboxes)) {
    const person = provider === 'caldav' ? DAV_ADA : ADA;
    await manual.addPerson(person);
    calendars.set(
      provider,
      await manual.addCalendar(person.email, { title: 'Work', timeZone: 'Europe/Paris' }),
    );
  }
  return (provider: WritableProvider, window: { readonly start: number; readonly end: number }) => {
    const { email } = provider === 'caldav' ? DAV_ADA : ADA;
    return sandboxes[provider].manual.instances(email, calendars.get(provider) ?? '', window);
  };
}

/** Returns the calendar called Work at each provider. */
async function calendarsOf({ url }: Application, token: string) {
  const answer = await fetch(`${url}/api/calendars`, { headers: { authorization: `Bearer ${token}` } });
  const listed: { provider: string; id: string; title: string }[] = JSON.parse(await answer.text());
  const work = (provider: WritableProvider): WritableCalendar => {
    const match = listed.find((calendar) => calendar.provider === provider && calendar.title === 'Work');
    if (match === undefined) throw new Error(`No calendar of ${provider}: ${JSON.stringify(listed)}`);
    return { provider, calendarId: match.id };
  };
  return { google: work('google'), microsoft: work('microsoft'), caldav: work('caldav') };
}

/** Sends one request as given; a redirect fails it, as in the published clients. */
export async function send(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Answered> {
  const answer = await fetch(url, {
    method,
    headers,
    redirect: 'error',
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.clone().text();
  return { status: answer.status, text, body: await jsonOf(answer) };
}
