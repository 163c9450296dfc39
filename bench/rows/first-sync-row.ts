/**
 * Measures how long the first sync of a calendar of 10,000 events takes from connecting the account, and how much
 * memory grows; and the same for 500 events that are placed in a thread.
 */
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
/** Each of these events costs a turn in a thread, but does not start one. */
const MOST_HEAVY_MS = { required: 5_000, outFor: 5_000 };
const PATIENCE_MS = 120_000;
const KINDS: readonly SandboxKind[] = ['google', 'microsoft', 'caldav'];

type Case = { readonly kind: SandboxKind; readonly events: number; readonly isHeavy?: boolean };

/** 10,000 events and 500 heavy ones are required; fewer only show that it works. */
export async function firstSyncRow(folder: string, events: number, heavy: number): Promise<RowReport> {
  const verdicts: Verdict[] = [];
  for (const kind of KINDS) verdicts.push(...(await firstSync({ kind, events }, folder)));
  verdicts.push(...(await firstSync({ kind: 'caldav', events: heavy, isHeavy: true }, folder)));
  return { title: `First sync of a calendar with ${events} events`, subjects: [], verdicts };
}

async function firstSync({ kind, events, isHeavy = false }: Case, folder: string): Promise<Verdict[]> {
  const program = path.resolve(import.meta.dirname, '../peers/provider-sandbox.ts');
  const words = [kind, String(events), ...(isHeavy ? ['heavy'] : [])];
  const sandbox = fork(program, words, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  try {
    // The first message of the sandbox has its address.
    const [hello] = (await once(sandbox, 'message')) as [SandboxHello];
    const server = await startKalends({ folder, env: environmentOf(kind, hello) });
    try {
      const figures = await measured(kind, hello, server);
      const target = isHeavy ? MOST_HEAVY_MS : MOST_MS;
      const what = isHeavy ? `${kind}, ${events} heavy events` : kind;
      return [
        verdictOf(`${what}, from the link to the mirror`, { measured: figures.ms, unit: 'ms' }, target),
        verdictOf(
          `${what}, memory at the most above before`,
          { measured: figures.megabytes, unit: 'MB' },
          MOST_GROWTH,
        ),
      ];
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

async function measured(kind: SandboxKind, hello: SandboxHello, server: Kalends) {
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
  return { ms: performance.now() - began, megabytes: most - before };
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
