/** The calendar endpoints over real stores and real syncing, with a provider in memory behind the port. */

import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { accountSessions } from '../../src/access/account-session.ts';
import { type InstanceApps, providerApps } from '../../src/access/provider-apps.ts';
import type { RequestLimits } from '../../src/access/request-gate.ts';
import type { NewAccount } from '../../src/calendars/account-store.ts';
import type { CalendarProvider, RedirectProvider } from '../../src/calendars/calendar-provider.ts';
import type { StorageQuotas } from '../../src/calendars/too-large-error.ts';
import { connectionRoutes } from '../../src/connect/accounts/connection.route.ts';
import { freeBusyRoutes } from '../../src/free-busy/free-busy.route.ts';
import { publicOrigins } from '../../src/http/application-hosts.ts';
import { createServer } from '../../src/http/server.ts';
import { createWakeUp } from '../../src/jobs/wake-up.ts';
import { startJobs, type Worker, type WorkerDeps } from '../../src/jobs/worker.ts';
import { lazyEgress } from '../../src/lib/egress/lazy-egress.ts';
import type { Log } from '../../src/lib/log.ts';
import { createSealer, hashOfSecret, type Sealer } from '../../src/lib/sealing.ts';
import type { WorkPool } from '../../src/lib/work-pool/work-pool.ts';
import { clientAssertions } from '../../src/oauth/client-assertion.ts';
import { openDpop } from '../../src/oauth/dpop.ts';
import type { Scope } from '../../src/oauth/scope.ts';
import { openSigningKeys } from '../../src/oauth/signing-keys.ts';
import { createTokenSigner } from '../../src/oauth/token-signer.ts';
import { answerCache } from '../../src/reading/answer-cache.ts';
import { calendarRoutes } from '../../src/reading/calendars.route.ts';
import { eventRoutes } from '../../src/reading/event.route.ts';
import { busyIds } from '../../src/reading/event-text.ts';
import { eventListRoute } from '../../src/reading/events.route.ts';
import { openReadTurns } from '../../src/reading/read-turns.ts';
import { jobHandlers } from '../../src/start/job-handlers.ts';
import type { Database, Statements } from '../../src/store/drivers/database.ts';
import { NO_QUOTAS } from '../../src/store/mirror/mirror-quotas.ts';
import { openStores, type Stores } from '../../src/store/open-stores.ts';
import type { ResourceRendering } from '../../src/sync/resource-rendering.ts';
import { type RunningSync, runningSync } from '../../src/sync/run-sync.ts';
import { deliveriesRoutes } from '../../src/webhooks/deliveries.route.ts';
import { listenersRoutes } from '../../src/webhooks/listeners.route.ts';
import { openWebhookSigner } from '../../src/webhooks/webhook-signer.ts';
import { webhookRoutes } from '../../src/webhooks/webhooks.route.ts';
import { calendarWriteRoutes } from '../../src/writing/calendars.route.ts';
import { deleteEventRoute } from '../../src/writing/delete-event.route.ts';
import { eventPostRoutes } from '../../src/writing/event-posts.route.ts';
import { type EventWriteRouteDeps, updateEventRoute } from '../../src/writing/events.route.ts';
import { writingPorts } from '../../src/writing/writing-ports.ts';
import { collectedActivity } from './activity-notes.ts';
import { beginGrant } from './begin-grant.ts';
import { FakeCalendarProvider } from './fake-calendar-provider.ts';
import { openMigratedSqlite } from './migrated.ts';
import { patientReadWait, type ReadWait } from './read-wait.ts';
import { renderHere } from './render-here.ts';

/** Collects what was logged, so that tests can look for what must not be in it. */
export function collectingLog(): Log & { lines: string[] } {
  const lines: string[] = [];
  const add = (level: string) => (fields: object, message: string) => {
    const err = 'err' in fields && fields.err instanceof Error ? fields.err.stack : '';
    lines.push(`${level} ${message} ${JSON.stringify(fields)} ${err}`);
  };
  return { lines, debug: add('debug'), info: add('info'), warn: add('warn'), error: add('error') };
}

export type CalendarServer = Awaited<ReturnType<typeof openCalendarServer>>;

export const ORIGINS = {
  url: 'https://kalends.example',
  applicationHosts: 'https://id.hosts.example',
};

/** 2026-11-15T12:00:00Z, where the server's clock starts. */
export const START = Date.UTC(2026, 10, 15, 12);

export type CalendarServerOptions = {
  /** How long reads wait for syncs. */
  readWait?: ReadWait;
  /** A migrated database to share with another server; it is not closed. */
  db?: Database;
  /** The key of that database, if two servers share it. */
  sealer?: Sealer;
  /** Used instead of the provider in memory. */
  caldav?: CalendarProvider;
  apple?: CalendarProvider;
  /** Providers with a sign-in by redirect; none by default. */
  google?: RedirectProvider;
  microsoft?: RedirectProvider;
  /** The instance's apps at these providers. */
  apps?: InstanceApps;
  limits?: RequestLimits;
  /** Threads for reads, besides the main thread. */
  readWork?: WorkPool;
  /** How resources are rendered; here without threads by default. */
  rendering?: ResourceRendering;
  /** Bounds and fault points of writing. */
  writing?: Pick<EventWriteRouteDeps, 'turnBound' | 'repeatBound' | 'atStep'>;
  /** Limits on the stored events. */
  quotas?: Partial<StorageQuotas>;
  /** A clock that the providers share. */
  clock?: { now: number };
};

/** Opens a server with the applications `acme` and `other` and their users `ada` and `ben`. No job is run. */
export async function openCalendarServer(options: CalendarServerOptions = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'kalends-calendars-'));
  const db = options.db ?? (await openMigratedSqlite(path.join(folder, 'kalends.db')));
  const clock = options.clock ?? { now: START };
  const now = () => clock.now;
  const sealer = options.sealer ?? createSealer(randomBytes(32));
  const log = collectingLog();
  const wakeUp = createWakeUp();
  const provider = new FakeCalendarProvider();
  const apple = new FakeCalendarProvider('apple');
  const stores = openStores(db, {
    sealer,
    notify: wakeUp.notify,
    ...(options.quotas && { quotas: { ...NO_QUOTAS, ...options.quotas } }),
  });
  const keys = await openSigningKeys('HS256', { keys: stores.signingKeys, sealer, now, log });
  const signer = createTokenSigner(keys, now);
  const { google, microsoft, limits } = options;
  const providers = {
    caldav: options.caldav ?? provider.asProvider(),
    apple: options.apple ?? apple.asProvider(),
    ...(google && { google }),
    ...(microsoft && { microsoft }),
  };
  const apps = providerApps(stores.providerApps, options.apps ?? {});
  const sessions = accountSessions({ ...stores, providers, apps, log, now, ...(limits && { limits }) });
  const { rendering = renderHere } = options;
  const sync: RunningSync = runningSync({ ...stores, providers, sessions, rendering, log, now });
  const pagingKey = sealer.derive('paging');
  const shared = {
    providers,
    apps,
    sessions,
    rendering,
    log,
    now,
    turns: new Map(),
    ...options.writing,
  };
  const deps = {
    ...stores,
    ...shared,
    accountLimits: { ofPerson: 1e6, ofUser: 1e6 },
    wrongSecrets: async () => undefined,
    assertions: clientAssertions({
      ...{ ...stores, log, now },
      ...{ egress: lazyEgress({ privateNetwork: { mode: 'deny' } }), publicUrl: 'https://kalends.example' },
    }),
    wrongCodes: { ofClient: async () => undefined, ofUser: async () => undefined },
    answers: answerCache(),
    activityNotes: collectedActivity(),
    requestLogDays: 7,
    requestLogRows: 50_000,
    auditDays: 730,
    ...openReadTurns(1_000),
    readWork: options.readWork,
    signer,
    dpop: openDpop({
      ...stores,
      nonceKey: sealer.derive('dpop nonces'),
      isPublicOrigin: publicOrigins(ORIGINS),
      now,
    }),
    sync,
    pagingKey,
    wakeUp,
    readWait: options.readWait ?? patientReadWait,
  };

  const ports = writingPorts(deps);
  const webhookSigner = await openWebhookSigner({ ...stores, sealer, now, log });
  const telling = { ...deps, webhookSigner, busyId: busyIds(pagingKey) };
  const app = createServer({ log, trustProxy: undefined, secure: true });
  for (const prefix of ['', '/api']) {
    app.register(calendarRoutes(deps), { prefix });
    app.register(updateEventRoute({ ...deps, ...ports }), { prefix });
    app.register(deleteEventRoute({ ...deps, ...ports }), { prefix });
    app.register(eventPostRoutes({ ...deps, ...ports }), { prefix });
    app.register(calendarWriteRoutes({ ...deps, ...ports }), { prefix });
    app.register(eventListRoute(deps), { prefix });
    app.register(eventRoutes(deps), { prefix });
    app.register(freeBusyRoutes(deps), { prefix });
    app.register(connectionRoutes(deps), { prefix });
    app.register(deliveriesRoutes(telling), { prefix });
    app.register(listenersRoutes(telling), { prefix });
    app.register(webhookRoutes({ ...deps, ...ports, publicUrl: 'https://kalends.example' }), { prefix });
  }
  if (options.db === undefined) await makeUsers(stores, clock.now);

  return {
    app,
    db,
    clock,
    log,
    deps,
    provider,
    apple,
    /** Returns an access token of a new grant, which covers the accounts that `link` links for its user. */
    async token(scope: Scope = 'read-write', userId = 'ada', clientId = 'acme'): Promise<string> {
      return this.tokenOf({ scope, userId, clientId });
    },
    /** Returns an access token of a new grant, which covers some of its user's groups. */
    async tokenOf({
      covers = { own: 'read-write' },
      scope = 'read-write',
      userId = 'ada',
      clientId = 'acme',
      jkt,
    }: Granting): Promise<string> {
      const user = { clientId, userId };
      const coverageId = randomUUID();
      const granted = await db.transaction(async (tx) => {
        for (const [group, coveredAt] of Object.entries(covers)) {
          const groupId = await makeGroup(tx, { ...user, group, now: clock.now });
          await tx.all(
            'INSERT INTO grant_coverage (coverage_id, group_id, scope) VALUES (:coverageId, :groupId, :coveredAt)',
            { coverageId, groupId, coveredAt },
          );
        }
        return beginGrant(tx, { ...user, scope, coverageId }, clock.now);
      });
      return signer.signTokenResponse({ ...granted.grant, jkt }, granted.first).access_token;
    },
    async close() {
      await app.close();
      await sync.stop();
      if (options.db === undefined) await db.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Creates the applications and users of such a server. */
export async function makeUsers(
  { clients, users }: Pick<Stores, 'clients' | 'users'>,
  now: number,
): Promise<void> {
  for (const clientId of ['acme', 'other']) {
    const redirectUri = 'https://app.example/cb';
    const names = { clientId, name: clientId, displayName: undefined, webhookUrl: undefined };
    await clients.createClient({ ...names, redirectUri, createdAt: now }, hashOfSecret(clientId), undefined);
    for (const userId of ['ada', 'ben']) await users.loadOrCreateUser(clientId, userId, now);
  }
}

type Granting = {
  /** The covered groups of the user, each with its scope. */
  readonly covers?: Readonly<Record<string, Scope>>;
  readonly scope?: Scope;
  readonly userId?: string;
  readonly clientId?: string;
  /** The thumbprint of the DPoP key that the token is bound to. */
  readonly jkt?: string;
};

type Group = { readonly clientId: string; readonly userId: string; readonly group: string };

/** Returns the transaction in which the accounts of a group are linked; the group is the user's own from the start. */
const transactionOf = ({ clientId, userId, group }: Group): string => `${group} of ${clientId} ${userId}`;

async function makeGroup(tx: Statements, { now, ...group }: Group & { readonly now: number }) {
  const groupId = transactionOf(group);
  await tx.all(
    `INSERT INTO account_group (group_id, client_id, user_id, transaction_id, created_at)
     VALUES (:groupId, :clientId, :userId, :groupId, :now) ON CONFLICT (group_id) DO NOTHING`,
    { groupId, clientId: group.clientId, userId: group.userId, now },
  );
  return groupId;
}

/** Links an account of the in-memory provider, in one of its user's own groups. */
export async function link(
  { db, deps, clock: { now } }: CalendarServer,
  { group = 'own', ...change }: Partial<NewAccount> & { readonly group?: string } = {},
) {
  const account = {
    clientId: 'acme',
    userId: 'ada',
    provider: 'caldav' as const,
    accountId: 'https://dav.example/ada/',
    provesOwner: true,
    display: 'ada@dav.example',
    grantedScopes: [],
    calendarPermission: undefined,
    credentials: { password: 'canary-password' },
    device: { deviceHash: 'device', formerHash: undefined },
    ...change,
  };
  const { clientId, userId, accountId } = account;
  const transactionId = await db.transaction((tx) => makeGroup(tx, { clientId, userId, group, now }));
  const transaction = { transactionId, expiresAt: now };
  return deps.accounts.linkAccount({ identity: `id:${accountId}`, transaction, ...account }, now);
}

/** Starts a worker of the server's jobs; `change` replaces dependencies from the server. */
export function startWorker({ deps }: CalendarServer, change: Partial<WorkerDeps> = {}): Worker {
  return startJobs({ ...deps, handlers: jobHandlers(deps), syncSlots: 48, ...change });
}

/** Sends a GET with a bearer token. */
export const get = (server: CalendarServer, url: string, token: string) =>
  server.app.inject({ url, headers: { authorization: `Bearer ${token}` } });
