/** How long the first sync of a calendar of 10,000 events takes, from the link on, and by how much memory grows. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { completeSignIn as passGoogle } from '../../sandbox/google/complete-sign-in.ts';
import { completeSignIn as passMicrosoft } from '../../sandbox/microsoft/complete-sign-in.ts';
import type { CalendarProvider } from '../../src/calendars/calendar-provider.ts';
import { createEgress } from '../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { googleProvider } from '../../src/providers/google/google-provider.ts';
import { microsoftProvider } from '../../src/providers/microsoft/microsoft-provider.ts';
import { recordingLog } from '../../test/servers/recording-log.ts';
import { type Kalends, startKalends } from '../kalends.ts';
import { linkedBy } from '../mirror-seed.ts';
import {
  SANDBOX_APP,
  SANDBOX_PERSON,
  SANDBOX_REDIRECT_URI,
  type SandboxHello,
  type SandboxKind,
} from '../peers/provider-sandbox.ts';
import { residentMegabytes } from '../process-usage.ts';
import { type RowReport, type Verdict, verdictOf } from '../report.ts';

const MOST_MS = { required: 10_000, outFor: 10_000 };
const MOST_GROWTH = { required: 100, outFor: 100 };
const PATIENCE_MS = 120_000;
const KINDS: readonly SandboxKind[] = ['google', 'microsoft', 'caldav'];

/** 10,000 are required; fewer only show that it works. */
export async function firstSyncRow(folder: string, events: number): Promise<RowReport> {
  const verdicts: Verdict[] = [];
  for (const kind of KINDS) verdicts.push(...(await firstSync(kind, folder, events)));
  return { title: `First sync of a calendar with ${events} events`, subjects: [], verdicts };
}

async function firstSync(kind: SandboxKind, folder: string, events: number): Promise<Verdict[]> {
  const program = path.resolve(import.meta.dirname, '../peers/provider-sandbox.ts');
  const sandbox = fork(program, [kind, String(events)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  try {
    // What the program says first.
    const [hello] = (await once(sandbox, 'message')) as [SandboxHello];
    const server = await startKalends({ folder, env: environmentOf(kind, hello) });
    try {
      return await measured(kind, hello, server);
    } finally {
      await server.stop();
    }
  } finally {
    sandbox.kill();
  }
}

function environmentOf(kind: SandboxKind, { issuer, apiUrl }: SandboxHello): Record<string, string> {
  const network = { KALENDS_PRIVATE_NETWORK: 'loopback' };
  if (kind === 'caldav') return network;
  const name = `KALENDS_${kind.toUpperCase()}`;
  return {
    ...network,
    [`${name}_CLIENT_ID`]: SANDBOX_APP.clientId,
    [`${name}_CLIENT_SECRET`]: SANDBOX_APP.clientSecret,
    [`${name}_ISSUER`]: issuer,
    [`${name}_API_URL`]: apiUrl,
  };
}

async function measured(kind: SandboxKind, hello: SandboxHello, server: Kalends): Promise<Verdict[]> {
  const { stores, application, process } = server;
  const { clientId } = application;
  const signedIn = await signIn(kind, hello);
  await stores.users.loadOrCreateUser(clientId, 'ada', Date.now());
  const before = residentMegabytes(process.pid) ?? Number.NaN;
  const began = performance.now();
  const account = { grantedScopes: [], calendarPermission: undefined, ...signedIn };
  const { accountKey } = await stores.accounts.linkAccount(
    { clientId, userId: 'ada', provider: kind, ...linkedBy('ada'), ...account },
    Date.now(),
  );
  let most = before;
  for (;;) {
    most = Math.max(most, residentMegabytes(process.pid) ?? 0);
    const calendars = await stores.mirror.listCalendars(accountKey);
    if (calendars.length > 0 && calendars.every(({ syncedAt }) => syncedAt !== undefined)) break;
    if (performance.now() - began > PATIENCE_MS) throw new Error(`The first sync with ${kind} did not end`);
    await sleep(20);
  }
  return [
    verdictOf(
      `${kind}, from the link to the mirror`,
      { measured: performance.now() - began, unit: 'ms' },
      MOST_MS,
    ),
    verdictOf(
      `${kind}, memory at the most above before`,
      { measured: most - before, unit: 'MB' },
      MOST_GROWTH,
    ),
  ];
}

async function signIn(kind: SandboxKind, { origin, issuer, apiUrl }: SandboxHello) {
  const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  const deps = { egress, log: recordingLog().log, now: Date.now, issuer, apiUrl };
  const make = { google: googleProvider, microsoft: microsoftProvider, caldav: caldavProvider }[kind];
  const provider: CalendarProvider = make(deps);
  try {
    const { email: username, password } = SANDBOX_PERSON;
    if (provider.signIn.method === 'password') {
      return await provider.signIn.verify({ server: origin, username, password });
    }
    const request = { app: SANDBOX_APP, redirectUri: SANDBOX_REDIRECT_URI, scope: 'read' } as const;
    const { url, pending } = await provider.signIn.begin({ ...request, state: 'bench', language: 'en' });
    const callback =
      kind === 'google'
        ? await passGoogle(url, { email: username })
        : await passMicrosoft(url, { account: username });
    return await provider.signIn.complete(callback, pending, SANDBOX_APP);
  } finally {
    await egress.close();
  }
}
