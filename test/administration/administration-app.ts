/** The administration API over real stores, with the applications `acme` and `other`, each with the user `jane@example.com`. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openAdminAccess } from '../../src/administration/operations/admin-access.ts';
import { administrationRoutes } from '../../src/administration/operations/administration.route.ts';
import type { AdminOperation } from '../../src/administration/operations/operation.ts';
import type { Caller } from '../../src/audit/audit-entry.ts';
import { logoDrawing } from '../../src/branding/logo-drawing.ts';
import { findRenderer } from '../../src/cli/cli.ts';
import { loadConfig } from '../../src/config/config.ts';
import { attemptLimit } from '../../src/http/attempt-limit.ts';
import { createServer } from '../../src/http/server.ts';
import type { EgressRequest } from '../../src/lib/egress/egress.ts';
import { lazyEgress } from '../../src/lib/egress/lazy-egress.ts';
import type { Mailer } from '../../src/lib/mail/mailer.ts';
import { createSealer, hashOfSecret } from '../../src/lib/sealing.ts';
import { figure } from '../../src/metrics/counter.ts';
import { createAdminKey, type NewAdminKey } from '../../src/people/admin-keys.ts';
import type { Role } from '../../src/people/person.ts';
import { requestedScope } from '../../src/start/requested-scope.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import type { AlertChannel } from '../../src/system/alert-channels.ts';
import { runningProgram } from '../../src/system/running-program.ts';
import { openWebhookSigner } from '../../src/webhooks/webhook-signer.ts';
import { registrationsAt } from '../dashboard/dashboard-app.ts';
import { recordingLog } from '../servers/recording-log.ts';
import { checkResult } from './result-check.ts';

export const NOW = Date.UTC(2026, 10, 15, 12);
export const ENVIRONMENT_KEY = 'environment-key-of-32-characters-or-more';
export const CLIENT_SECRET = `kalends_${'s'.repeat(43)}`;
export const USER = 'jane@example.com';
const HOUR = 3_600_000;

export type Sent = {
  readonly key?: string | undefined;
  readonly body?: object | undefined;
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string>>;
};
export type AdministrationApp = Awaited<ReturnType<typeof openAdministrationApp>>;

type AppOptions = {
  readonly isHere?: () => boolean;
  readonly mailer?: Mailer;
  /** Empty if the dashboard is off. */
  readonly dashboardUrl?: string;
  readonly env?: Record<string, string>;
};

const alertChannel: AlertChannel = {
  ...{ channel: 'mail', recipient: 'operator@example.com', paceMs: 0, batch: 1 },
  send: async () => {},
  test: async () => {},
};

/** The caller closes `app`. */
export async function openAdministrationApp(
  db: Database,
  { isHere = () => true, mailer, dashboardUrl = 'https://kalends.example', env = {} }: AppOptions = {},
) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kalends-test-'));
  const clock = { now: NOW };
  const now = () => clock.now;
  const sealer = createSealer(Buffer.alloc(32)); // All instances have the same key.
  const stores = openStores(db, { sealer });
  const { log, entries } = recordingLog();
  /** The URLs that received deliveries. */
  const sent: string[] = [];
  const deps = {
    db,
    ...stores,
    ...{
      sealer,
      now,
      publicUrl: 'https://kalends.example',
      dashboardUrl: dashboardUrl || undefined,
      clearLog: () => db.clearLog(),
    },
    log,
    ...{ privateNetwork: { mode: 'allow' } as const, mailer },
    program: runningProgram(loadConfig({ KALENDS_DATA_DIR: dataDir, ...env }), {
      ...stores.system,
      inspectStorage: async () => ({ state: 'unreachable', reason: 'It is not read here' }),
      requestedScope,
      backup: (file) => writeFile(file, 'The database'),
      now,
    }),
    drawLogo: logoDrawing(),
    egress: lazyEgress({ privateNetwork: { mode: 'deny' } }),
    appChecking: {
      appChecks: attemptLimit(1_000, 60),
      appRegistrations: registrationsAt({ google: 'https://127.0.0.1:9', microsoft: 'https://127.0.0.1:9' }),
    },
    webhookEgress: {
      request: async ({ url }: EgressRequest) => {
        sent.push(String(url));
        return { status: 204, url: new URL(url), header: () => undefined, body: Buffer.alloc(0) };
      },
      close: async () => undefined,
    },
    requestLogDays: 30,
    signingKeyStore: stores.signingKeys,
    webhookSigner: await openWebhookSigner({ ...stores, sealer, now, log }),
    alertChannels: [alertChannel],
    readMetrics: async () => [figure('kalends_ready', 1)],
    adminAccess: openAdminAccess({ adminKey: ENVIRONMENT_KEY, log }),
    adminDocument: async () => '{"openapi":"3.1.1"}',
    findRenderer: async (row: AdminOperation) => findRenderer(row),
  };
  if ((await stores.clients.listClients()).length === 0) await createApplications(stores);
  const app = createServer({ log, trustProxy: undefined, secure: true });
  app.addHook('onClose', () => rm(dataDir, { recursive: true, force: true }));
  app.register(administrationRoutes(deps, isHere));
  await app.ready();

  const by: Caller = { actor: { kind: 'command_line', name: 'root' }, address: undefined, now };
  /** Creates a key; a developer has the application `acme`. */
  const createKey = async (role: Role, more: Partial<NewAdminKey> = {}, actor = by.actor) => {
    const clientIds = role === 'developer' ? ['acme'] : [];
    const input = { name: `A ${role}`, role, clientIds, lifetimeMs: HOUR, ...more };
    return createAdminKey('command line', input, { ...deps, by: { ...by, actor } });
  };
  /** Adds a member with a password, a passkey, single sign-on, a session and a reset link. */
  const addMember = async (role: Role = 'owner') => {
    const personId = randomBytes(6).toString('hex');
    const [login, expiresAt, terms] = [`${personId}@example.com`, NOW + HOUR, { now: NOW, by }];
    const link = { invitationId: personId, role, login, clientIds: [], createdAt: NOW, expiresAt };
    await stores.people.addInvitation({ ...link, purpose: 'invite', personId: undefined }, personId, { by });
    const person = { personId, name: `Name of ${personId}`, login, password: 'a hash' };
    assert.equal(await stores.people.acceptInvitation(personId, person, terms), 'done');
    const facts = { publicKey: 'k', counter: 0, transports: [], name: 'Key' };
    await stores.people.addPasskey(personId, { ...facts, passkeyId: personId }, { ...terms, most: 9 });
    await stores.people.setIdentity(personId, { issuer: 'https://id.example', subject: personId }, terms);
    const at = { createdAt: NOW, seenAt: NOW, provedAt: NOW, address: '192.0.2.1', browser: 'Firefox' };
    await stores.people.addSession({ ...at, sessionId: personId, sessionHash: personId, personId }, by);
    await stores.people.addInvitation({ ...link, purpose: 'reset', personId }, `reset ${personId}`, { by });
    return personId;
  };
  const send = async (
    method: string,
    path: string,
    { key, body, address = '192.0.2.1', headers = {} }: Sent = {},
  ) => {
    const response = await app.inject({
      method: method.toUpperCase() as 'GET',
      url: `/admin/v1${path}`,
      remoteAddress: address,
      headers: { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      ...(body !== undefined && { payload: body }),
    });
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    const document: Readonly<Record<string, unknown>> = isJson ? response.json() : {};
    if (isJson && response.statusCode < 300) checkResult(method, path, document);
    return { status: response.statusCode, document, headers: response.headers };
  };
  return { sent, app, db, deps, stores, clock, entries, by, createKey, addMember, send };
}

/** Creates the applications, with what a review needs. */
async function createApplications({
  clients,
  branding,
  users,
}: ReturnType<typeof openStores>): Promise<void> {
  const terms = { now: NOW, by: undefined };
  for (const clientId of ['acme', 'other']) {
    const facts = { clientId, name: `The ${clientId}`, displayName: clientId, webhookUrl: undefined };
    const client = { ...facts, redirectUri: `https://${clientId}.example/cb`, createdAt: NOW };
    await clients.createClient(client, hashOfSecret(CLIENT_SECRET), undefined);
    const supportEmail = `help@${clientId}.example`;
    await branding.changeLook(clientId, { applicationUrl: 'https://app.example', supportEmail }, terms);
    await users.loadOrCreateUser(clientId, USER, NOW);
  }
}
