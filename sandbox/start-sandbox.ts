/** The whole sandbox: four providers with people in them, Kalends set up for them, and an application to try it with. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { createServer } from '../src/http/server.ts';
import {
  demoApplication,
  expireCursors,
  ownApplications,
  registerApplications,
  type SandboxApplication,
  WEBHOOK_SECRET,
} from './applications.ts';
import { type SandboxClock, sandboxClock } from './core/clock.ts';
import { controlRoute } from './core/control.route.ts';
import type { ControlPerson } from './core/control-deps.ts';
import { type Faults, faultBoard, KIND_NAMES, SANDBOX_KINDS } from './core/faults.ts';
import type { ProviderSandbox } from './core/provider-sandbox.ts';
import { deliveryLog } from './demo/delivery-log.ts';
import { CONSOLE_LOG, startDemo } from './demo/demo-app.ts';
import type { DemoSession } from './demo/demo-session.ts';
import type { DemoPerson } from './demo/home.page.ts';
import type { Application } from './demo/kalends-client.ts';
import { WEBHOOK_PATH } from './demo/webhook.route.ts';
import { type KalendsProcess, kalendsSettings, startKalends } from './kalends-process.ts';
import { type KeptFolder, openKeptFolder, type SandboxState } from './kept-folder.ts';
import { eventMover } from './people/event-mover.ts';
import { ACCOUNTS, addAllAccounts } from './people/people.ts';
import { choosePorts, type Ports } from './ports.ts';
import { type Providers, settingsFor, startProviders } from './providers.ts';
import { registerStrictApplication, type StrictApplication } from './strict-application.ts';

export type SandboxOptions = {
  /** Whether to prefer the usual ports if they are free; otherwise any free ones. */
  readonly usualPorts?: boolean | undefined;
  /** Kalends' port, which must be free. */
  readonly port?: number | undefined;
  /** Further KALENDS_* settings. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The redirect URIs of the user's own applications, one application for each. */
  readonly redirectUris?: readonly string[] | undefined;
  /** The address where these applications receive changes. */
  readonly webhookUrl?: string | undefined;
  /** The folder that keeps everything for the next start; without one, everything is deleted at the end. */
  readonly keep?: string | undefined;
};

export type Sandbox = {
  readonly providers: Providers;
  readonly clock: SandboxClock;
  readonly faults: Faults;
  readonly kalends: KalendsProcess;
  /** The registered demo, with its callback and webhook address. */
  readonly application: Application;
  /** The applications for `redirectUris`. */
  readonly ownApplications: readonly SandboxApplication[];
  /** The application with the profile `fapi2`, with the first of `redirectUris` or the demo's. */
  readonly strictApplication: StrictApplication;
  /** The secret that verifies deliveries to `webhookUrl`. */
  readonly webhookSecret: string;
  /** Kalends' data folder. */
  readonly dataDir: string;
  /** The address to begin at. */
  readonly demoUrl: string;
  readonly controlUrl: string;
  people(): readonly DemoPerson[];
  close(): Promise<void>;
};

const START_ATTEMPTS = 3;

type Later = (stop: () => Promise<unknown>) => void;

/**
 * Starts everything on loopback. Without a folder to keep, everything is in memory, except Kalends' own data in a
 * temporary folder.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const stops: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(options, (stop) => stops.push(stop), close);
    } catch (failure) {
      await close();
      // Another program may take a port after it was chosen.
      const isTaken = failure instanceof Error && 'code' in failure && failure.code === 'EADDRINUSE';
      if (!isTaken || attempt === START_ATTEMPTS) throw failure;
    }
  }
}

async function start(options: SandboxOptions, later: Later, close: () => Promise<void>): Promise<Sandbox> {
  const { usualPorts = false, settings = {}, redirectUris = [], webhookUrl } = options;
  const storedFolder = keptFolder(options, later);
  const state = storedFolder?.state;
  const dataDir = storedFolder?.dataDir ?? (await temporaryFolder(later));
  const ports = await choosePorts({ usual: usualPorts, wanted: wantedPorts(options, state) });
  const clock = sandboxClock(Date.now, state?.ahead);
  const faults = faultBoard();
  const kalendsUrl = `http://127.0.0.1:${ports.kalends}`;
  let save: (() => void) | undefined;
  const deps = { clock, faults, beforeAnswer: () => save?.() };
  const providers = await startProviders({ ...deps, ports, kalendsUrl, state }, later);
  const all: readonly ProviderSandbox[] = Object.values(providers);
  const events = state?.events ?? (await addAllAccounts(all, clock.now()));

  const demoOrigin = `http://127.0.0.1:${ports.demo}`;
  const demoApp = demoApplication(`${demoOrigin}/callback`, demoOrigin + WEBHOOK_PATH);
  const env = kalendsSettings(ports.kalends, dataDir, { ...settingsFor(providers), ...settings });
  const registered = [demoApp, ...ownApplications(redirectUris, webhookUrl)];
  const [, ...ownApps] = await registerApplications(env, registered);
  const strictUri = redirectUris[0] ?? demoApp.redirectUri;
  const strictApplication = await registerStrictApplication({ ...env, KALENDS_DATA_DIR: dataDir }, strictUri);
  const kalends = await startKalends(env);
  later(() => kalends.close());
  const application: Application = { ...demoApp, kalendsUrl };

  const control = createServer({ log: CONSOLE_LOG, trustProxy: undefined, secure: false });
  control.addHook('onSend', async () => deps.beforeAnswer());
  const cursors = { expireCursors: (user: Parameters<typeof expireCursors>[1]) => expireCursors(env, user) };
  const controls = { clock, faults, providers: all, ...cursors };
  control.register(controlRoute({ ...controls, ...controlsFor(providers, ports.demo) }));
  const controlUrl = `${await control.listen({ host: '127.0.0.1', port: ports.control })}/control`;
  later(() => control.close());
  const people = () => peopleAt(providers);
  const sessions: Map<string, DemoSession> = state?.sessions ?? new Map();
  const mover = eventMover(all.map(({ kind, manual }) => ({ kind, manual, events: events[kind] })));
  const views = { people, controlUrl, mover, sessions, beforeAnswer: deps.beforeAnswer };
  const demo = await startDemo({
    ...views,
    application,
    deliveries: deliveryLog(),
    now: Date.now,
    port: ports.demo,
  });
  later(() => demo.close());
  if (storedFolder !== undefined) {
    const usedPorts = takenPorts(ports, { ...providers, control: controlUrl });
    save = () =>
      storedFolder.save(stateNow({ ports: usedPorts, ahead: clock.ahead(), events, sessions }, providers));
    save();
  }
  const details = {
    application,
    ownApplications: ownApps,
    strictApplication,
    webhookSecret: WEBHOOK_SECRET,
    dataDir,
  };
  return { providers, clock, faults, kalends, ...details, demoUrl: demo.origin, controlUrl, people, close };
}

function keptFolder({ keep }: SandboxOptions, later: Later): KeptFolder | undefined {
  if (keep === undefined) return undefined;
  const folder = openKeptFolder(keep);
  later(async () => folder.close());
  return folder;
}

async function temporaryFolder(later: Later): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kalends-sandbox-'));
  later(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/**
 * Returns the required ports: stored state refers to its ports in many places, so they stay. Throws an Error for a
 * different port.
 */
function wantedPorts({ port, keep }: SandboxOptions, state: SandboxState | undefined): Partial<Ports> {
  if (state === undefined) return port === undefined ? {} : { kalends: port };
  const { kalends } = state.ports;
  if (port === undefined || port === kalends) return state.ports;
  throw new Error(
    `The sandbox in ${keep} has Kalends at port ${kalends}: leave --port out, or say ${kalends}.`,
  );
}

/** Returns the ports, including those that the system chose. */
function takenPorts(
  ports: Ports,
  { google, microsoft, icloud, caldav, control }: Providers & { readonly control: string },
): Ports {
  const portOf = (address: string) => Number(new URL(address).port);
  return {
    ...ports,
    control: portOf(control),
    google: portOf(google.origin),
    microsoft: portOf(microsoft.origin),
    icloud: portOf(icloud.origin),
    icloudHome: portOf(icloud.homeOrigin),
    caldav: portOf(caldav.origin),
  };
}

const stateNow = (
  common: Pick<SandboxState, 'ports' | 'ahead' | 'events' | 'sessions'>,
  { google, microsoft, icloud, caldav }: Providers,
): SandboxState => ({
  ...common,
  google: google.state(),
  microsoft: microsoft.state(),
  icloud: icloud.state(),
  caldav: caldav.state(),
});

/** Returns the people on the control page, and the organization of those at Microsoft. */
function controlsFor(providers: Providers, demoPort: number) {
  const { microsoft } = providers;
  const people = SANDBOX_KINDS.flatMap((kind) =>
    ACCOUNTS[kind].map(({ person: { email } }) => ({ kind, email })),
  );
  const [employee = ''] = ACCOUNTS.microsoft.map(({ person }) => person.email);
  const [, domain = ''] = employee.split('@');
  const demandConsent = (email = employee) => microsoft.manual.demandAdminConsent(email);
  const organisation = { name: domain, demandConsent };
  const passwordOf = ({ kind, email }: ControlPerson) =>
    kind === 'icloud' || kind === 'caldav' ? providers[kind].passwordOf(email) : undefined;
  const sent = () => SANDBOX_KINDS.flatMap((kind) => providers[kind].sent()).sort((a, b) => a.at - b.at);
  return { people, organisation, passwordOf, sent, demoUrl: `http://127.0.0.1:${demoPort}` };
}

/** Returns the people with their current passwords, which change when access is withdrawn. */
function peopleAt(providers: Providers): DemoPerson[] {
  return SANDBOX_KINDS.flatMap((kind) =>
    ACCOUNTS[kind].map(({ person: { email, name } }) => ({
      provider: KIND_NAMES[kind],
      name,
      username: email,
      password: kind === 'icloud' || kind === 'caldav' ? providers[kind].passwordOf(email) : undefined,
      server: kind === 'caldav' ? providers.caldav.origin : undefined,
    })),
  );
}
