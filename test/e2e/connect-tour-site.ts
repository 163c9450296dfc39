/**
 * The site for a tour of the Connect pages: the shipped program, a real CalDAV server, the sandbox's Google and
 * Microsoft, and applications that look and behave differently.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type CalDavSandbox, caldavSandbox } from '../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../sandbox/core/clock.ts';
import { type FaultEffect, type Faults, faultBoard } from '../../sandbox/core/faults.ts';
import { type GoogleSandbox, googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { type MicrosoftSandbox, microsoftSandbox } from '../../sandbox/microsoft/microsoft-sandbox.ts';
import { LANGUAGES } from '../../src/connect/messages/messages.ts';
import { sqliteFileIn } from '../../src/store/drivers/open-database.ts';
import { freePort } from '../harness/loopback.ts';
import { type CallbackServer, startCallback } from './connect-chromium.ts';
import type { Application, CalendarLogin } from './flow.ts';
import { openSite, type Site } from './site.ts';

const APPS = {
  google: { clientId: 'g.apps.example', clientSecret: 'GOCSPX-tour' },
  microsoft: { clientId: '11111111-2222-4333-8444-555555555555', clientSecret: 'm~tour' },
};
/** Markup, right-to-left letters, a word too long for any line and an emoji: all of it is text. */
const HOSTILE_NAME = `<b>Evil</b> שלום ${'W'.repeat(170)} 🗓️`;

/** How the applications differ. */
type TourApplications = {
  readonly plain: Application;
  /** Has no display name, so that pages use generic words, and no app at Google and Microsoft. */
  readonly nameless: Application;
  readonly hostile: Application;
  /** Verified, with logos, a colour of its own and support contacts. */
  readonly branded: Application;
  /** Signs users in with a Google app whose secret is wrong. */
  readonly misconfigured: Application;
  /** Lets returning users continue with their accounts without proof. */
  readonly trusting: Application;
  /** Accepts only requests that it pushed. */
  readonly pushing: Application;
};

export type TourSite = Site & {
  readonly google: GoogleSandbox;
  readonly microsoft: MicrosoftSandbox;
  readonly callback: CallbackServer;
  readonly applications: TourApplications;
  /** An address where nothing responds. */
  readonly nowhere: string;
  /** The login of a user who has no calendar on the server. */
  readonly emptyCalendars: CalendarLogin;
  readonly faults: Faults;
};

/** The languages that only developers see. */
export const PSEUDO_LOCALES = ['en-XA', 'ar-XB'] as const;

/** Attempts per transaction: more than any chapter makes except the one about the limit. */
export const MOST_PASSWORDS = 5;

/** Returns a user at Google and Microsoft for one language, so that tours in two languages do not interfere. */
export const adaIn = (language: string): string => `ada.${language.toLowerCase()}@example.com`;
/** Returns a user whose organization at Microsoft lets no member consent alone. */
export const eveIn = (language: string): string => `eve.${language.toLowerCase()}@corp.example`;

/** Starts per minute and address: more than any tour makes except the one of the crowd. */
export const MOST_STARTS = 100;

/** Google's responses for accounts with a problem, by the name of the problem. */
const REFUSALS = {
  reconnect: { kind: 'status', status: 401 },
  administrator: { kind: 'status', status: 403, reason: 'domainPolicy' },
  operator: { kind: 'status', status: 403, reason: 'accessNotConfigured' },
  passing: { kind: 'status', status: 503 },
} as const satisfies Record<string, FaultEffect>;
export const PROBLEMS = [
  'reconnect',
  'administrator',
  'operator',
  'passing',
] as const satisfies (keyof typeof REFUSALS)[];
/** Operations that are slow enough for their state to be seen. */
export const SLOWNESSES = ['calendarList.list', 'events.list'] as const;
const SLOW_MS = 20_000;
/** Prefixes of users for whom the database stores no accounts, or not even the user. */
export const UNLUCKY = 'unlucky';
export const UNWELCOME = 'unwelcome';

/** Returns a user at Google whose account always has this problem. */
export const userWith = (language: string, problem: string): string =>
  `${problem}.${language}@example.com`.toLowerCase();

async function addPeople(language: string, { google, microsoft, faults }: Sandboxes): Promise<void> {
  for (const { manual } of [google, microsoft]) {
    await manual.addPerson({ email: adaIn(language), name: 'Ada Lovelace' });
  }
  await microsoft.manual.addPerson({ email: eveIn(language), name: 'Eve' });
  await microsoft.manual.demandAdminConsent(eveIn(language));
  const addUserWith = async (problem: string, operation: string, effect: FaultEffect) => {
    const user = userWith(language, problem);
    await google.manual.addPerson({ email: user, name: 'Ada Lovelace' });
    faults.set({ provider: 'google', operation, user, effect });
  };
  for (const problem of PROBLEMS) await addUserWith(problem, 'calendarList.list', REFUSALS[problem]);
  for (const operation of SLOWNESSES)
    await addUserWith(operation, operation, { kind: 'latency', ms: SLOW_MS });
}

type Sandboxes = {
  readonly google: GoogleSandbox;
  readonly microsoft: MicrosoftSandbox;
  readonly icloud: CalDavSandbox;
  readonly caldav: CalDavSandbox;
  readonly callback: CallbackServer;
  readonly faults: Faults;
  close(): Promise<void>;
};

async function openSandboxes(): Promise<Sandboxes> {
  const faults = faultBoard();
  const deps = { clock: sandboxClock(), faults };
  const [google, microsoft, icloud, caldav, callback] = await Promise.all([
    googleSandbox(deps),
    microsoftSandbox(deps),
    caldavSandbox({ ...deps, kind: 'icloud' }),
    caldavSandbox({ ...deps, kind: 'caldav' }),
    startCallback(),
  ]);
  // Every sign-in at Microsoft fails: it stands for a provider that cannot be reached.
  faults.set({ provider: 'microsoft', operation: 'token', effect: { kind: 'status', status: 503 } });
  const close = async () => {
    await Promise.all([google, microsoft, icloud, caldav, callback].map((opened) => opened.close()));
  };
  return { google, microsoft, icloud, caldav, callback, faults, close };
}

/** Starts everything; the caller closes it. */
export async function openTourSite(): Promise<TourSite> {
  const sandboxes = await openSandboxes();
  try {
    return await openOn(sandboxes);
  } catch (reason) {
    await sandboxes.close();
    throw reason;
  }
}

async function openOn(sandboxes: Sandboxes): Promise<TourSite> {
  const { google, microsoft, icloud, caldav, callback, faults } = sandboxes;
  for (const language of [...LANGUAGES, ...PSEUDO_LOCALES]) await addPeople(language, sandboxes);
  const nobody = 'nobody@example.com';
  await caldav.manual.addPerson({ email: nobody, name: 'Nobody' });
  const env = {
    ...settingsOf('google', google),
    ...settingsOf('microsoft', microsoft),
    KALENDS_APPLE_URL: icloud.origin,
    KALENDS_LIMIT_PASSWORDS_PER_TRANSACTION: String(MOST_PASSWORDS),
    KALENDS_LIMIT_AUTHORIZE: String(MOST_STARTS),
    // Walkers send their addresses in X-Forwarded-For.
    KALENDS_TRUST_PROXY: '1',
    KALENDS_OPERATOR_NAME: 'Kalends Demo',
  };
  const site = await openSite({ env });
  for (const sandbox of [google, microsoft]) {
    const redirectUris = [`${site.program.url}/connect/${sandbox.kind}/callback`];
    sandbox.registerApp({ ...APPS[sandbox.kind], redirectUris });
  }
  breakFor(UNLUCKY, 'account', site);
  breakFor(UNWELCOME, 'application_user', site);
  const applications = await makeApplications(site, callback.redirectUri);
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const emptyCalendars = {
    server: caldav.origin,
    username: nobody,
    password: caldav.passwordOf(nobody),
  };
  const close = async () => {
    await site.close();
    await sandboxes.close();
  };
  return { ...site, google, microsoft, callback, applications, nowhere, emptyCalendars, faults, close };
}

/** Makes the program's database fail, as a full disk would, for users whose names begin with `name`. */
function breakFor(name: string, table: 'account' | 'application_user', { program }: Site): void {
  const database = new DatabaseSync(sqliteFileIn(program.dataDir));
  database.exec(`CREATE TRIGGER break_${table} BEFORE INSERT ON ${table} WHEN NEW.user_id LIKE '${name}%'
    BEGIN SELECT RAISE(ABORT, 'This table is broken for the tour'); END`);
  database.close();
}

/** Creates the applications. Only those with their own provider apps can send users to Google and Microsoft. */
async function makeApplications({ program }: Site, redirectUri: string): Promise<TourApplications> {
  const secretFile = async (name: string, secret: string) => {
    const file = path.join(program.dataDir, name);
    await writeFile(file, `${secret}\n`);
    return file;
  };
  const make = async (displayName: string | undefined, options: readonly string[]): Promise<Application> => {
    const made = await program.createClient({ redirectUri, ...(displayName && { displayName }) });
    if (options.length > 0) await program.command('client', 'update', made.clientId, ...options);
    return { ...made, url: program.url };
  };
  const optionsOf = async (kind: 'google' | 'microsoft', secret = APPS[kind].clientSecret) => [
    ...[`--${kind}-client-id`, APPS[kind].clientId],
    ...[`--${kind}-client-secret-file`, await secretFile(`${kind}-${secret}`, secret)],
  ];
  const both = [...(await optionsOf('google')), ...(await optionsOf('microsoft'))];
  return {
    plain: await make('Acme Planner', both),
    nameless: await make(undefined, []),
    hostile: await make(HOSTILE_NAME, both),
    branded: await make('Northwind Rooms', [...both, ...(await brandOptions(program.dataDir))]),
    misconfigured: await make('Misfit', await optionsOf('google', 'GOCSPX-wrong')),
    trusting: await make('Litware Desk', ['--returning-users', 'continue']),
    pushing: await make('Fabrikam', ['--pushed-requests', 'required']),
  };
}

/** Returns options for difficult branding: a yellow on which white is unreadable, and logos for both schemes. */
async function brandOptions(folder: string): Promise<readonly string[]> {
  const sign = (name: string, ground: string, figure: string) => {
    const file = path.join(folder, name);
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="${ground}"/><path d="M14 48V16l36 32V16" fill="none" stroke="${figure}" stroke-width="7"/></svg>`;
    return writeFile(file, drawing).then(() => file);
  };
  return [
    ...['--logo', await sign('logo.svg', '#ffd400', '#111111')],
    ...['--dark-logo', await sign('dark-logo.svg', '#332b00', '#ffd400')],
    ...['--primary-color', '#ffd400', '--verified', 'on'],
    ...['--support-email', 'help@northwind.example', '--support-url', 'https://northwind.example/help'],
    ...['--privacy-url', 'https://northwind.example/privacy'],
    ...['--terms-url', 'https://northwind.example/terms'],
  ];
}

function settingsOf(kind: 'google' | 'microsoft', { issuer, apiUrl }: GoogleSandbox | MicrosoftSandbox) {
  const name = `KALENDS_${kind.toUpperCase()}`;
  return { [`${name}_ISSUER`]: issuer, [`${name}_API_URL`]: apiUrl };
}
