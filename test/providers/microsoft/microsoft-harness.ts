/** A Microsoft of the sandbox's with the adapter in front of it, and the little an account needs to be used. */

import { type SandboxClock, sandboxClock } from '../../../sandbox/core/clock.ts';
import { type FaultEffect, type Faults, faultBoard } from '../../../sandbox/core/faults.ts';
import type { ListedInstance } from '../../../sandbox/core/provider-sandbox.ts';
import { completeSignIn } from '../../../sandbox/microsoft/complete-sign-in.ts';
import { type MicrosoftSandbox, microsoftSandbox } from '../../../sandbox/microsoft/microsoft-sandbox.ts';
import type {
  AccountSession,
  CalendarAccount,
  OAuthCredentials,
  RedirectProvider,
  SignedInAccount,
} from '../../../src/calendars/calendar-provider.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { expand } from '../../../src/lib/recurrence/expand.ts';
import { recurrenceBudget } from '../../../src/lib/recurrence/expand-rule.ts';
import type { TimeWindow } from '../../../src/lib/recurrence/series.ts';
import type { Scope } from '../../../src/oauth/scope.ts';
import {
  type MicrosoftDeps,
  microsoftProvider,
} from '../../../src/providers/microsoft/microsoft-provider.ts';
import type { Mirror } from '../../servers/mirror.ts';
import { recordingLog } from '../../servers/recording-log.ts';

export const APP = { clientId: 'kalends-app', clientSecret: 'kalends-secret' };
export const REDIRECT_URI = 'https://kalends.test/connect/microsoft/callback';
export const ADA = { email: 'ada@contoso.test', name: 'Ada Lovelace' };

export type MicrosoftHarness = {
  readonly sandbox: MicrosoftSandbox;
  readonly clock: SandboxClock;
  readonly faults: Faults;
  readonly egress: Egress;
  readonly provider: RedirectProvider;
  /** Returns the adapter with other dependencies. */
  providerWith(change: Partial<MicrosoftDeps>): RedirectProvider;
  /** Sets a fault for as many requests of an operation, or all of them. */
  fault(effect: FaultEffect, operation?: string, times?: number): void;
  signIn(scope?: Scope, email?: string): Promise<SignedInAccount>;
  open(signedIn: SignedInAccount): UsedAccount;
  close(): Promise<void>;
};

/** An account in use, and what its session did meanwhile. */
export type UsedAccount = CalendarAccount & { credentials(): OAuthCredentials; renewals(): number };

export async function microsoftHarness(): Promise<MicrosoftHarness> {
  const clock = sandboxClock();
  const faults = faultBoard();
  const sandbox = await microsoftSandbox({
    clock,
    faults,
    apps: [{ ...APP, redirectUris: [REDIRECT_URI], name: 'Kalends' }],
  });
  await sandbox.manual.addPerson(ADA);
  const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  const { issuer, apiUrl } = sandbox;
  const deps = { egress, issuer, apiUrl, log: recordingLog().log, now: () => clock.now() };
  const provider = microsoftProvider(deps);

  return {
    sandbox,
    clock,
    faults,
    egress,
    provider,
    providerWith: (change) => microsoftProvider({ ...deps, ...change }),
    fault(effect, operation, times) {
      const where = operation === undefined ? {} : { operation };
      faults.set({ provider: 'microsoft', effect, ...where, ...(times === undefined ? {} : { times }) });
    },
    async signIn(scope: Scope = 'read-write', email = ADA.email) {
      const request = { app: APP, redirectUri: REDIRECT_URI, scope, state: 'state', language: 'en' };
      const { url, pending } = await provider.signIn.begin(request);
      return provider.signIn.complete(await completeSignIn(url, { account: email }), pending, APP);
    },
    open: (signedIn) => usedAccount(signedIn, provider, () => clock.now()),
    async close() {
      await egress.close();
      await sandbox.close();
    },
  };
}

/** Microsoft serves a mailbox four requests at once; one is left to others. */
const AT_ONCE = 3;

function usedAccount(signedIn: SignedInAccount, provider: RedirectProvider, now: () => number): UsedAccount {
  let { credentials } = signedIn;
  let renewals = 0;
  let renewing: Promise<void> | undefined;
  const renew = (refused: string) => {
    if (credentials.accessToken !== refused) return Promise.resolve();
    renewing ??= provider.signIn.renew(credentials, APP, signedIn.identity).then((renewed) => {
      credentials = renewed;
      renewals += 1;
    });
    return renewing.finally(() => {
      renewing = undefined;
    });
  };
  const session: AccountSession = {
    async accessToken() {
      if (credentials.expiresAt - now() < 60_000) await renew(credentials.accessToken);
      return credentials.accessToken;
    },
    async renewAccessToken(refused) {
      await renew(refused);
      return credentials.accessToken;
    },
    limited: slots(AT_ONCE),
  };
  const account = provider.open(signedIn.credentials, session);
  return { ...account, credentials: () => credentials, renewals: () => renewals };
}

function slots(most: number): AccountSession['limited'] {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (_operation, request) => {
    if (running === most) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      return await request();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** Returns what a mirror shows of a window, in the form in which the sandbox lists what Outlook shows. */
export function shownIn(mirror: Mirror, window: TimeWindow): ListedInstance[] {
  const resources = [...mirror.values()];
  const apart = Map.groupBy(
    resources.filter(({ seriesId }) => seriesId !== undefined),
    ({ seriesId }) => seriesId,
  );
  return resources
    .filter(({ seriesId }) => seriesId === undefined)
    .flatMap(({ href, events: [master] }) => {
      if (master === undefined || master.status === 'cancelled') return [];
      const overrides = (apart.get(href) ?? []).flatMap(({ events }) =>
        events.flatMap(({ recurrenceId, start, end, title, status }) =>
          recurrenceId === undefined
            ? []
            : { recurrenceId, start, end, cancelled: status === 'cancelled', payload: title },
        ),
      );
      const { start, end, recurrence, title } = master;
      const series = { master: { start, end, recurrence, payload: title }, overrides };
      const { instances } = expand(series, window, 'UTC', recurrenceBudget(20_000));
      return instances.map(({ startsAt, endsAt, payload, originalStart }) => ({
        title: payload,
        start: startsAt,
        end: endsAt,
        allDay: originalStart.type === 'date',
      }));
    })
    .sort((a, b) => a.start - b.start || (a.title < b.title ? -1 : 1));
}
