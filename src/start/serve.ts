/** `kalends serve`: opens everything, listens, runs jobs, and ends cleanly on a signal. */
import { accountSessions } from '../access/account-session.ts';
import type { AppRegistration } from '../access/app-registration.ts';
import { APP_KINDS, type AppKind, providerApps } from '../access/provider-apps.ts';
import { type ActivityCounter, startActivityCounter } from '../activity/activity-counter.ts';
import { openAdminAccess } from '../administration/operations/admin-access.ts';
import { type AppDeps, buildAdministration, buildApp } from '../app.ts';
import { logoDrawing } from '../branding/logo-drawing.ts';
import type { Config } from '../config/config.ts';
import { openMailer } from '../config/mail-options.ts';
import { connectAttempts } from '../connect/flow/connect-attempts.ts';
import { formSlots } from '../connect/flow/form-slots.ts';
import { callbackPath } from '../connect/flow/paths.ts';
import { applicationHostRules, publicOrigins } from '../http/application-hosts.ts';
import { attemptLimit } from '../http/attempt-limit.ts';
import { openDrain } from '../http/drain.ts';
import type { LoggedAnswers } from '../http/log-answers.ts';
import { startMetricsServer } from '../http/metrics-server.ts';
import { type CreateLimit, sharedLimits } from '../http/shared-attempts.ts';
import { startJobs } from '../jobs/worker.ts';
import { lazyEgress } from '../lib/egress/lazy-egress.ts';
import type { SlotListener } from '../lib/fair-slots/slot-listener.ts';
import type { Log } from '../lib/log.ts';
import { onceAMinute } from '../lib/once-a-minute.ts';
import { metricsText } from '../metrics/metrics-text.ts';
import { clientAssertions } from '../oauth/client-assertion.ts';
import { openDpop } from '../oauth/dpop.ts';
import type { Scope } from '../oauth/scope.ts';
import { openSigningKeys, type SigningKeys } from '../oauth/signing-keys.ts';
import { createTokenSigner } from '../oauth/token-signer.ts';
import { wrongCodeLimits } from '../oauth/wrong-codes.ts';
import { ADDRESS_MAILS } from '../people/alert-mails.ts';
import { onLocalhost } from '../people/invitations.ts';
import { passwordSlots } from '../people/password.ts';
import { signInLimits } from '../people/sign-in.ts';
import type { SingleSignOn } from '../people/single-sign-on.ts';
import { requestedScope as googleScope } from '../providers/google/scopes.ts';
import { requestedScope as microsoftScope } from '../providers/microsoft/scopes.ts';
import { type IdentityProviderDeps, identityProvider } from '../providers/openid/identity-provider.ts';
import { busyIds } from '../reading/event-text.ts';
import { openReadTurns } from '../reading/read-turns.ts';
import { type RequestRecorder, startRequestRecorder } from '../request-log/request-recorder.ts';
import { lockForWork } from '../store/drivers/sqlite-serve-lock.ts';
import { resourceRendering } from '../sync/resource-rendering.ts';
import { type RunningSync, runningSync } from '../sync/run-sync.ts';
import { type AlertChannelDeps, alertChannels, mailChannel } from '../system/alert-channels.ts';
import { startAlerts } from '../system/alert-schedule.ts';
import { startBackups } from '../system/backup-schedule.ts';
import { noteInstance } from '../system/instances.ts';
import { runningProgram } from '../system/running-program.ts';
import { watchMasterKeys } from '../system/watch-master-keys.ts';
import { watchCap } from '../watches/keep-watches.ts';
import { receiverUrls } from '../watches/receiver-url.ts';
import { type DeliveryWorkerDeps, RECEIVER_LIMITS, startDeliveries } from '../webhooks/delivery-worker.ts';
import { openWebhookSigner } from '../webhooks/webhook-signer.ts';
import { instanceMetrics } from './instance-metrics.ts';
import { slotListener } from './instance-slots.ts';
import { openWatching, type Watching } from './instance-watching.ts';
import { type JobHandlerDeps, jobHandlers } from './job-handlers.ts';
import { openProviders } from './open-providers.ts';
import { inspectStorage, openStorage, type Stores } from './open-storage.ts';
import { requestedScope } from './requested-scope.ts';
import { endTogether, openLog, type Running, runUntilStopped } from './run-until-stopped.ts';
import { prepareSetup, startDocument, warnAtStart, welcome } from './welcome.ts';
import { type WorkPools, workPools } from './work-pools.ts';

/** The maximum wait for a write lock: callers get an error within two seconds. The command line waits longer. */
const LOCK_WAIT_MS = 1_500;

/** Serves until SIGTERM or SIGINT, then finishes current work and closes. Throws if the start fails. */
export async function serve(config: Config, { json }: { json: boolean }): Promise<void> {
  const log = openLog(config.logLevel, { isTraced: config.tracing !== undefined });
  await runUntilStopped(async (running) => {
    running.parts.defer(() => log.flush());
    const stores = await start(config, { ...running, log });
    const setup = await prepareSetup(config, stores);
    const document = json && startDocument(config, stores, setup);
    process.stdout.write(`${document ? JSON.stringify(document) : welcome(config, stores, setup)}\n`);
  }, log);
}

async function start(config: Config, running: Running & { readonly log: Log }): Promise<Stores> {
  const { log, parts, stopping } = running;
  const isWorking = config.role !== 'web';
  if (isWorking && config.databaseUrl === undefined) parts.use(await lockForWork(config.dataDir, stopping));
  // Storage is opened later but closes after the last spans are sent.
  const storage = parts.use(new AsyncDisposableStack());
  const watching = parts.adopt(await openWatching(config, log), ({ stop }) => stop());
  const awaiting = onceAMinute((pending: readonly number[]) =>
    log.info({ event: 'migrations_awaited', pending }, 'Waiting until the database is migrated'),
  );
  const noteWait = onceAMinute((_: undefined, count) =>
    log.warn({ event: 'commit_waits', count }, 'PostgreSQL did not confirm commits within 5 seconds'),
  );
  const commitWaits = () => noteWait(undefined);
  const terms = { wrapped: watching.wrapped, lockWaitMs: LOCK_WAIT_MS, awaiting, commitWaits, stopping };
  const stores = storage.adopt(await openStorage(config, terms), ({ close }) => close());
  const deps = await instanceDeps(config, stores, { log, watching });
  parts.defer(() => deps.activityNotes.stop());
  parts.defer(() => endTogether([deps.syncWork.close(), deps.readWork.close(), deps.answerListener?.stop()]));
  parts.defer(() => deps.sync.stop());
  stopping.throwIfAborted();
  // All end together. Syncs are excused first, because a supervisor may kill the process before they end.
  const ends = [() => deps.sync.excuse()];
  parts.defer(() => endTogether(ends.map((end) => end())));
  const starting = { deps, watching, ends, stopping };
  await openPorts(config, starting);
  if (isWorking) await startWork(config, starting);
  if (config.role !== 'worker') await saveAddresses(config, deps);
  const noted = noteInstance(config.role, deps);
  const watched = watchMasterKeys({ ...stores, log }, noted.note);
  ends.push(noted.stop, watched.stop);
  warnAtStart(config, stores, log);
  return stores;
}

/** Stores the addresses for commands. The server starts without it too. */
const saveAddresses = ({ url, dashboardUrl }: Config, { system, log }: InstanceDeps): Promise<void> =>
  system
    .saveAddresses({ url, dashboardUrl })
    .catch((err) =>
      log.error({ event: 'instance_not_noted', err }, 'The addresses of this instance could not be recorded'),
    );

type Starting = {
  readonly deps: InstanceDeps;
  readonly watching: Watching;
  readonly stopping: AbortSignal;
  /** Each started part adds its end. */
  readonly ends: (() => Promise<void>)[];
};

async function openPorts(config: Config, { deps, watching, ends, stopping }: Starting): Promise<void> {
  const { metricsAddress, metricsToken: token } = config;
  const { everyMs: backupEveryMs } = config.backups;
  const readMetrics = watching.meters && instanceMetrics(watching.meters, { ...deps, backupEveryMs });
  const scrape = readMetrics && (async () => metricsText(await readMetrics()));
  if (scrape !== undefined && metricsAddress !== undefined) {
    const metricsServer = await startMetricsServer(metricsAddress, scrape, deps.log);
    ends.push(() => metricsServer.close());
  }
  if (config.role === 'worker') return;
  const drain = openDrain();
  const metrics = scrape && token ? { token, scrape } : undefined;
  const app = buildApp({ ...deps, metrics, readMetrics, isDraining: drain.isBegun });
  ends.push(async () => {
    // Ctrl-C stops without draining.
    if (stopping.reason === 'SIGTERM') await drain.begin(config.drainSeconds);
    await app.close();
  });
  await listen(app, config);
  const { adminAddress } = config;
  if (typeof adminAddress === 'string') return;
  const administration = buildAdministration({ ...deps, readMetrics, isDraining: drain.isBegun });
  ends.push(() => administration.close());
  await listen(administration, adminAddress, 'KALENDS_ADMIN_ADDRESS');
}

async function startWork(config: Config, { deps, watching, ends }: Starting): Promise<void> {
  // No other process runs jobs here, so leases of a killed one are invalid, and its log may contain deleted data.
  if (config.databaseUrl === undefined) await Promise.all([deps.streams.endLeases(), deps.clearLog()]);
  const jobs = startJobs({
    ...deps,
    handlers: watching.handlers(jobHandlers(deps)),
    syncSlots: config.syncSlots,
    jobsTaken: watching.meters?.jobsTaken,
  });
  ends.push(() => jobs.stop());
  const deliveries = startDeliveries(deps);
  ends.push(() => deliveries.stop());
  const noticesEnded = watching.meters?.noticesEnded;
  const { mailer, publicUrl, alertChannels: channels } = deps;
  const openMailChannel = mailer && ((address: string) => mailChannel(address, { mailer, publicUrl }));
  const alerts = startAlerts({ ...deps, channels, openMailChannel, noticesEnded });
  ends.push(() => alerts.stop());
  const { everyMs, keep } = config.backups;
  const { backups } = deps.program;
  if (everyMs === undefined || backups === undefined) return;
  const schedule = startBackups({ everyMs, keep }, { ...deps, backups });
  ends.push(schedule.stop);
}

async function listen(
  app: ReturnType<typeof buildApp>,
  { host, port }: Pick<Config, 'host' | 'port'>,
  settings = 'KALENDS_PORT or KALENDS_HOST',
): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Port ${port} cannot be listened on: ${reason}. Set ${settings}.`, {
      cause,
    });
  }
}

type InstanceDeps = AppDeps &
  JobHandlerDeps &
  DeliveryWorkerDeps &
  Pick<Stores, 'jobs' | 'wakeUp' | 'clockOffset' | 'commitsWaiting'> & {
    readonly sync: RunningSync;
    readonly slots: SlotListener;
    readonly answerListener: RequestRecorder | undefined;
    readonly activityNotes: ActivityCounter;
  } & WorkPools;

/** Returns the dependencies of routes and jobs. Creates the first signing keys if necessary. */
async function instanceDeps(
  config: Config,
  stores: Stores,
  { log, watching }: { readonly log: Log; readonly watching: Watching },
): Promise<InstanceDeps> {
  const { now, sealer } = stores;
  const keysDeps = { keys: stores.signingKeys, sealer, now, log };
  const signingKeys = await openSigningKeys(config.tokenAlgorithm, keysDeps);
  const webhookSigner = await openWebhookSigner({ ...stores, log });
  const slots = slotListener(watching.meters?.slots, log);
  const egress = lazyEgress({ privateNetwork: config.privateNetwork, slots });
  const toReceivers = lazyEgress({ privateNetwork: config.privateNetwork, limits: RECEIVER_LIMITS });
  const pools = workPools({ ...watching.listeners, log, slots });
  const providers = openProviders(config, {
    ...{ log, now, sealer, syncWork: pools.syncWork },
    egressTo: (kind) => watching.egressTo(kind, egress),
  });
  const apps = providerApps(stores.providerApps, {
    google: config.google.app,
    microsoft: config.microsoft.app,
  });
  const sessions = accountSessions({ ...stores, providers, apps, log });
  const rendering = resourceRendering(pools.syncWork);
  const pagingKey = sealer.derive('paging');
  const createLimit = sharedLimits({ ...stores, attemptKey: sealer.derive('attempts'), log });
  const { calendarsPerAccount } = config.limits;
  const counter = startActivityCounter({ ...stores, log });
  return {
    ...stores,
    ...pools,
    ...watching.listeners,
    rendering,
    providers,
    apps,
    signInOrigins: APP_KINDS.map((kind) => new URL(config[kind].issuer).origin),
    sessions,
    sync: runningSync({
      ...stores,
      ...watching.listeners,
      providers,
      sessions,
      rendering,
      calendarsPerAccount,
      ...{ log, slots },
      syncEnded(sync) {
        watching.listeners.syncEnded?.(sync);
        counter.synced(sync);
      },
    }),
    slots,
    passwordSlots: passwordSlots(slots),
    adminAccess: openAdminAccess({ adminKey: config.adminKey, log, slots }),
    hasAdministration: config.adminAddress === 'dashboard',
    turns: new Map(),
    ...openReadTurns(config.limits.connections, slots),
    signingKeys,
    signingKeyStore: stores.signingKeys,
    webhookSigner,
    webhookEgress: watching.webhookEgress(toReceivers),
    alertChannels: openAlertChannels(config, { webhookSigner, now }),
    busyId: busyIds(pagingKey),
    ...tokenDeps(config, stores, signingKeys),
    ...{ log, publicUrl: config.url },
    receiverUrl: receiverUrls(config),
    mayAskForWatch: watchCap(now),
    privateNetwork: config.privateNetwork,
    securityContact: config.securityContact,
    errorDocumentation: config.linksErrors ? `${config.url}/docs/errors` : undefined,
    ...dashboardDeps(config, stores, { egress, now, createLimit }),
    egress,
    operatorName: config.operatorName,
    offeredProviders: config.providers,
    mostOpenRequests: config.limits.openTransactions,
    accountLimits: { ofPerson: config.limits.accountsPerGroup, ofUser: config.limits.accountsPerUser },
    secure: config.url.startsWith('https:'),
    ...{ trustProxy: config.trustProxy, hosts: applicationHostRules(config, stores) },
    ...{ activityNotes: counter, answerCounter: counter },
    answerListener: config.requestLogDays > 0 ? startRequestRecorder({ ...stores, log }) : undefined,
    ...{ requestLogDays: config.requestLogDays, requestLogRows: config.limits.requestLogRows },
    auditDays: config.auditDays,
    connectionLimits: config.limits,
    loggedAnswers: loggedAnswers(config),
    tokenAlgorithm: config.tokenAlgorithm,
    pagingKey,
    wrongSecrets: attemptLimit(config.limits.wrongSecretsPerMinute, 60),
    assertions: clientAssertions({ ...stores, egress, publicUrl: config.url, log }),
    wrongCodes: wrongCodeLimits(config.limits, createLimit),
    attempts: connectAttempts(config.limits, createLimit),
    formSlots: formSlots(config.limits.connections, slots),
  };
}

const tokenDeps = (config: Config, stores: Stores, signingKeys: SigningKeys) => ({
  signer: createTokenSigner(signingKeys, stores.now),
  successorKey: stores.sealer.derive('refresh successors'),
  dpop: openDpop({
    ...stores,
    nonceKey: stores.sealer.derive('dpop nonces'),
    isPublicOrigin: publicOrigins(config),
  }),
});

/** Alerts reach any address, as traces do: the operator set it. */
const openAlertChannels = (config: Config, deps: Pick<AlertChannelDeps, 'webhookSigner' | 'now'>) =>
  alertChannels(config.alerts, {
    ...deps,
    mailer: openMailer(config),
    alertEgress: lazyEgress({ privateNetwork: { mode: 'allow' } }),
    publicUrl: config.url,
  });

function loggedAnswers({ logsAccess, logLevel }: Config): LoggedAnswers | undefined {
  if (logsAccess) return 'access';
  return logLevel === 'debug' || logLevel === 'trace' ? 'debug' : undefined;
}

const dashboardDeps = (
  config: Config,
  { sealer, system, backup, now }: Stores,
  deps: Pick<IdentityProviderDeps, 'egress' | 'now'> & { readonly createLimit: CreateLimit },
) => ({
  dashboardUrl: config.dashboardUrl && onLocalhost(config.dashboardUrl),
  hasOwnOrigin: config.dashboardUrl !== config.url,
  isDashboardNetwork: config.isDashboardNetwork,
  signInLimits: signInLimits(undefined, deps.createLimit),
  mailer: openMailer(config),
  singleSignOn: openSingleSignOn(config, deps),
  knownBrowserKey: sealer.derive('known browsers'),
  userReferenceKey: sealer.derive('user references'),
  addressKey: sealer.derive('confirmed addresses'),
  addressMails: deps.createLimit('address mails', ADDRESS_MAILS),
  program: runningProgram(config, { ...system, inspectStorage, requestedScope, backup, now }),
  drawLogo: logoDrawing(),
  appRegistrations: appRegistrations(config),
  appChecks: attemptLimit(APP_CHECKS_PER_MINUTE, 60),
});

function openSingleSignOn(
  { dashboardSignIn }: Config,
  deps: Pick<IdentityProviderDeps, 'egress' | 'now'>,
): SingleSignOn | undefined {
  const { singleSignOn, usesPasswords, usesPasskeys } = dashboardSignIn;
  if (singleSignOn === undefined) return undefined;
  const { rules, ...client } = singleSignOn;
  return { provider: identityProvider({ ...client, ...deps }), rules, usesPasswords, usesPasskeys };
}

/** Each check sends two requests to the provider. */
const APP_CHECKS_PER_MINUTE = 6;

function appRegistrations(config: Config): Record<AppKind, AppRegistration> {
  const registration = (kind: AppKind, requested: (scope: Scope) => string): AppRegistration => ({
    issuer: config[kind].issuer,
    redirectUri: config.url + callbackPath(kind),
    permissions: {
      'free-busy': requested('free-busy').split(' '),
      read: requested('read').split(' '),
      'read-write': requested('read-write').split(' '),
    },
    instanceAppId: config[kind].app?.clientId,
  });
  return {
    google: registration('google', googleScope(config.google.asksForCalendars)),
    microsoft: registration('microsoft', microsoftScope(config.microsoft.asksForShared)),
  };
}
