/**
 * What a tour of the Connect pages needs: the program as shipped, a real CalDAV server, the sandbox's
 * Google and Microsoft, and applications that look and behave differently.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import { type GoogleSandbox, googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { type MicrosoftSandbox, microsoftSandbox } from '../../sandbox/microsoft/microsoft-sandbox.ts';
import { LANGUAGES } from '../../src/connect/messages.ts';
import { freePort } from '../program.ts';
import { type CallbackServer, startCallback } from './connect-chromium.ts';
import type { Application } from './flow.ts';
import { openSite, type Site } from './site.ts';

const APPS = {
  google: { clientId: 'g.apps.example', clientSecret: 'GOCSPX-tour' },
  microsoft: { clientId: '11111111-2222-4333-8444-555555555555', clientSecret: 'm~tour' },
};
/** Markup, letters that run the other way, a word no line has room for and an emoji: all of it is text. */
export const HOSTILE_NAME = `<b>Evil</b> שלום ${'W'.repeat(170)} 🗓️`;

/** How the applications differ. */
export type TourApplications = {
  readonly plain: Application;
  /** Has no display name, so that pages use generic words, and no app at Google and Microsoft. */
  readonly nameless: Application;
  readonly hostile: Application;
  /** Verified, with logos, a colour of its own and support contacts. */
  readonly branded: Application;
  /** Signs users in with a Google app whose secret is wrong. */
  readonly misconfigured: Application;
};

export type TourSite = Site & {
  readonly google: GoogleSandbox;
  readonly microsoft: MicrosoftSandbox;
  readonly callback: CallbackServer;
  readonly applications: TourApplications;
  /** An address where nothing answers. */
  readonly nowhere: string;
};

/** The languages that only developers see. */
export const PSEUDO_LOCALES = ['en-XA', 'ar-XB'] as const;

/** Attempts in one transaction: more than any chapter makes but that of the limit. */
export const MOST_PASSWORDS = 5;

/** Who signs in at Google and Microsoft in a language: walks in two languages are in nobody's way. */
export const adaIn = (language: string): string => `ada.${language.toLowerCase()}@example.com`;
/** Her organisation at Microsoft lets nobody consent alone. */
export const eveIn = (language: string): string => `eve.${language.toLowerCase()}@corp.example`;

async function addPeople(language: string, google: GoogleSandbox, microsoft: MicrosoftSandbox) {
  for (const { hand } of [google, microsoft]) {
    await hand.addPerson({ email: adaIn(language), name: 'Ada Lovelace' });
  }
  await microsoft.hand.addPerson({ email: eveIn(language), name: 'Eve' });
  await microsoft.hand.demandAdminConsent(eveIn(language));
}

/** Starts everything; the caller closes it. */
export async function openTourSite(): Promise<TourSite> {
  const deps = { clock: sandboxClock(), faults: faultBoard() };
  const [google, microsoft, callback] = await Promise.all([
    googleSandbox(deps),
    microsoftSandbox(deps),
    startCallback(),
  ]);
  // Nobody of the tour gets past Microsoft: it stands for a provider that cannot be reached.
  deps.faults.set({
    provider: 'microsoft',
    operation: 'token',
    effect: { kind: 'status', status: 503 },
  });
  const closeAll = async () => {
    await Promise.all([google.close(), microsoft.close(), callback.close()]);
  };
  try {
    const env = {
      ...settingsOf('google', google),
      ...settingsOf('microsoft', microsoft),
      KALENDS_LIMIT_PASSWORDS_PER_TRANSACTION: String(MOST_PASSWORDS),
      KALENDS_OPERATOR_NAME: 'Kalends Demo',
    };
    for (const language of [...LANGUAGES, ...PSEUDO_LOCALES]) await addPeople(language, google, microsoft);
    const site = await openSite({ env });
    const { url } = site.program;
    for (const sandbox of [google, microsoft]) {
      const redirectUris = [`${url}/connect/${sandbox.kind}/callback`];
      sandbox.registerApp({ ...APPS[sandbox.kind], redirectUris });
    }
    const applications = await makeApplications(site, callback.redirectUri);
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const close = async () => {
      await site.close();
      await closeAll();
    };
    return { ...site, google, microsoft, callback, applications, nowhere, close };
  } catch (reason) {
    await closeAll();
    throw reason;
  }
}

/** Only applications with apps of their own there can send users to Google and Microsoft. */
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
  };
}

/** A brand that is hard on the pages: a yellow on which white cannot be read, and pictures for both schemes. */
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
  ];
}

function settingsOf(kind: 'google' | 'microsoft', { issuer, apiUrl }: GoogleSandbox | MicrosoftSandbox) {
  const name = `KALENDS_${kind.toUpperCase()}`;
  return { [`${name}_ISSUER`]: issuer, [`${name}_API_URL`]: apiUrl };
}
