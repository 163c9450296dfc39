/** The dashboard's routes over real stores, with browsers that hold cookies and send the forms they were given. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';

import Fastify, { type FastifyInstance } from 'fastify';

import { type AppKind, providerApps } from '../../src/access/provider-apps.ts';
import type { By } from '../../src/audit/audit-entry.ts';
import { logoDrawing } from '../../src/branding/logo-drawing.ts';
import { PROVIDER_KINDS } from '../../src/calendars/provider-facts.ts';
import { dashboardRoutes } from '../../src/dashboard/dashboard.route.ts';
import type { DashboardDeps, OpenDashboard } from '../../src/dashboard/dashboard-deps.ts';
import { attemptLimit } from '../../src/http/attempt-limit.ts';
import { databaseNotes } from '../../src/http/error-mapping.ts';
import { readForms } from '../../src/http/form-body.ts';
import { lazyEgress } from '../../src/lib/egress/lazy-egress.ts';
import { createSealer, hashOfSecret } from '../../src/lib/sealing.ts';
import { openSigningKeys } from '../../src/oauth/signing-keys.ts';
import { createTokenSigner } from '../../src/oauth/token-signer.ts';
import { passwordSlots } from '../../src/people/password.ts';
import type { Role } from '../../src/people/person.ts';
import type { PersonStore } from '../../src/people/person-store.ts';
import { deriveFormToken } from '../../src/people/sessions.ts';
import { signInLimits } from '../../src/people/sign-in.ts';
import { busyIds } from '../../src/reading/event-text.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import type { RunningProgram } from '../../src/system/running-program.ts';
import { openWebhookSigner } from '../../src/webhooks/webhook-signer.ts';
import { collectedActivity } from '../harness/activity-notes.ts';
import { collectingLog } from '../harness/calendar-server.ts';
import { noAddresses } from '../harness/no-network.ts';

const NOW = Date.UTC(2026, 10, 15, 12);
export const ORIGIN = 'https://kalends.example';
/** The name of the session cookie under https. */
const SESSION = '__Host-kalends_session';

/** Returns the registrations of provider apps, with an issuer for each provider. */
export const registrationsAt = (
  issuers: Readonly<Record<AppKind, string>>,
): OpenDashboard['appRegistrations'] => {
  const registration = (kind: AppKind) => ({
    issuer: issuers[kind],
    redirectUri: `${ORIGIN}/connect/${kind}/callback`,
    permissions: { 'free-busy': ['busy'], read: ['openid', 'read.all'], 'read-write': ['write.all'] },
    instanceAppId: undefined,
  });
  return { google: registration('google'), microsoft: registration('microsoft') };
};

/** Returns a running program whose only check passes; it has no database of its own. */
export const programForTests = (changes: Partial<RunningProgram> = {}): RunningProgram => ({
  ...{ version: '1.2.3', node: '26.0.0', engine: 'sqlite', settings: [], tokenAlgorithm: 'HS256' },
  providerAddresses: [],
  check: async () => [{ name: 'clock', status: 'ok', message: 'It goes.' }],
  setup: () => Promise.reject(new Error('No provider is set up here')),
  backups: undefined,
  backupEveryMs: undefined,
  ...changes,
});

export type DashboardApp = Awaited<ReturnType<typeof openDashboardApp>>;

/** Opens the dashboard with the applications `acme` and `other` and without members. The caller closes `app`. */
export async function openDashboardApp(db: Database, changes: Partial<DashboardDeps> = {}) {
  const clock = { now: NOW };
  const sealer = createSealer(randomBytes(32));
  const stores = openStores(db, { sealer });
  const log = collectingLog();
  const now = () => clock.now;
  const keys = await openSigningKeys('HS256', { keys: stores.signingKeys, sealer, now, log });
  const deps: OpenDashboard & By = {
    ...stores,
    by: undefined,
    signingKeyStore: stores.signingKeys,
    activityNotes: collectedActivity(),
    signInLimits: signInLimits(now),
    passwordSlots: passwordSlots(),
    sealer,
    program: programForTests(),
    singleSignOn: undefined,
    knownBrowserKey: sealer.derive('known browsers'),
    addressKey: sealer.derive('confirmed addresses'),
    addressMails: attemptLimit(3, 3600),
    userReferenceKey: sealer.derive('user references'),
    successorKey: sealer.derive('refresh successors'),
    clearLog: () => db.clearLog(),
    dashboardUrl: ORIGIN,
    publicUrl: ORIGIN,
    privateNetwork: { mode: 'deny' },
    operatorName: 'Example Hosting',
    mailer: undefined,
    alertChannels: [],
    drawLogo: logoDrawing(),
    appRegistrations: registrationsAt({ google: 'https://127.0.0.1:9', microsoft: 'https://127.0.0.1:9' }),
    appChecks: attemptLimit(20, 60),
    egress: lazyEgress({ privateNetwork: { mode: 'deny' }, lookup: noAddresses }),
    hasOwnOrigin: false,
    isDashboardNetwork: () => true,
    requestLogDays: 7,
    busyId: busyIds(sealer.derive('paging')),
    webhookSigner: await openWebhookSigner({ ...stores, sealer, log, now }),
    webhookEgress: lazyEgress({ privateNetwork: { mode: 'loopback' } }),
    signer: createTokenSigner(keys, now),
    offeredProviders: PROVIDER_KINDS,
    apps: providerApps(stores.providerApps, {}),
    log,
    now,
    ...(changes as Partial<OpenDashboard>),
  };
  for (const clientId of ['acme', 'other']) {
    if ((await stores.clients.findClient(clientId)) !== undefined) continue;
    const facts = { clientId, name: `The ${clientId}`, displayName: undefined, webhookUrl: undefined };
    const redirectUri = `https://${clientId}.example/callback`;
    await stores.clients.createClient(
      { ...facts, redirectUri, createdAt: NOW },
      hashOfSecret(clientId),
      undefined,
    );
  }
  const app = Fastify();
  app.decorate('noteDatabaseAway', databaseNotes({ log }));
  app.addHook('onClose', () => deps.webhookEgress.close());
  readForms(app);
  app.register(dashboardRoutes(deps));
  await app.ready();

  const browsers = dashboardBrowsers({ app, db, people: stores.people, now });
  return { app, db, deps, stores, sealer, clock, log, ...browsers };
}

type Browsing = {
  readonly app: FastifyInstance;
  readonly db: Database;
  readonly people: Pick<PersonStore, 'addSession'>;
  readonly now: () => number;
};

/** Returns browsers of an `app` whose dashboard is at ORIGIN and that has the application `acme`. */
export function dashboardBrowsers({ app, db, people, now }: Browsing) {
  /** Returns the browser of a new signed-in member with that role; developers get `acme`. */
  const signedIn = async (role: Role): Promise<DashboardBrowser> => {
    const personId = `p-${role}-${randomBytes(4).toString('hex')}`;
    const secret = randomBytes(32).toString('base64url');
    await db.write(
      `INSERT INTO person (person_id, name, login, role, created_at)
       VALUES (:personId, :name, :login, :role, 1) RETURNING person_id`,
      { personId, name: `Some ${role}`, login: `${personId}@example.com`, role },
    );
    if (role === 'developer')
      await db.write(
        `INSERT INTO person_application (person_id, client_id) VALUES (:personId, 'acme') RETURNING person_id`,
        { personId },
      );
    await people.addSession(
      {
        sessionHash: hashOfSecret(secret),
        sessionId: `s-${personId}`,
        personId,
        ...{ createdAt: now(), seenAt: now(), provedAt: now() },
        ...{ address: '192.0.2.1', browser: 'a test' },
      },
      undefined,
    );
    return browser({ [SESSION]: secret }, personId);
  };

  const browser = (
    held: Record<string, string> = {},
    personId = '',
    remoteAddress = '127.0.0.1',
  ): DashboardBrowser => {
    const cookies = new Map(Object.entries(held));
    const send = async (method: 'GET' | 'POST', url: string, options: SentOptions = {}): Promise<Answer> => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const form = options.upload ?? new URLSearchParams(options.form);
      const secret = cookies.get(SESSION);
      const path = url.split('?')[0] ?? '';
      if (method === 'POST' && secret !== undefined && !form.has('token'))
        form.set('token', deriveFormToken(secret, path));
      // Encodes the form as a browser does.
      const encoded = new Response(form);
      const answer = await app.inject({
        method,
        url,
        remoteAddress,
        headers: {
          accept: 'text/html',
          host: 'kalends.example',
          cookie,
          ...(method === 'POST' && {
            'content-type': encoded.headers.get('content-type') ?? '',
            'sec-fetch-site': 'same-origin',
          }),
          ...options.headers,
        },
        ...(method === 'POST' && { payload: Buffer.from(await encoded.arrayBuffer()) }),
      });
      for (const { name, value, maxAge } of answer.cookies) {
        if (maxAge === 0) cookies.delete(name);
        else cookies.set(name, value);
      }
      return { status: answer.statusCode, body: answer.body, headers: answer.headers };
    };
    return {
      personId,
      cookies,
      get: (url, headers) => send('GET', url, { ...(headers && { headers }) }),
      post: (url, form = {}, headers) => send('POST', url, { form, ...(headers && { headers }) }),
      upload: (url, upload) => send('POST', url, { upload }),
    };
  };
  return { signedIn, browser };
}

type SentOptions = {
  readonly form?: Readonly<Record<string, string>>;
  /** Sent instead of `form`. */
  readonly upload?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Answer = {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
};

/** A browser that sends each form with its session's token, as the page would; a `token` in the form replaces it. */
export type DashboardBrowser = {
  /** The member who is signed in from the start. */
  readonly personId: string;
  readonly cookies: Map<string, string>;
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  post(
    url: string,
    form?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** Sends a form with files. */
  upload(url: string, form: FormData): Promise<Answer>;
};

/** Returns the address that a response redirects to. */
export function leadsTo({ status, headers }: Answer): string {
  assert.equal(status, 303);
  return String(headers.location);
}
