/** The whole sandbox: four providers with people in them, Kalends set up for them, and an application to try it with. */
import { createServer } from '../src/http/server.ts';
import { type CalDavSandbox, caldavSandbox } from './caldav/caldav-sandbox.ts';
import { type SandboxClock, sandboxClock } from './core/clock.ts';
import { controlRoute } from './core/control.route.ts';
import { type Faults, faultBoard, KIND_NAMES, SANDBOX_KINDS } from './core/faults.ts';
import type { ProviderSandbox } from './core/provider-sandbox.ts';
import { deliveryLog } from './demo/delivery-log.ts';
import { CONSOLE_LOG, startDemo } from './demo/demo-app.ts';
import type { DemoPerson } from './demo/home.page.ts';
import type { Application } from './demo/kalends-client.ts';
import { WEBHOOK_PATH } from './demo/webhook.route.ts';
import { freePort } from './free-port.ts';
import { type GoogleSandbox, googleSandbox } from './google/google-sandbox.ts';
import { type KalendsProcess, startKalends } from './kalends-process.ts';
import { type MicrosoftSandbox, microsoftSandbox } from './microsoft/microsoft-sandbox.ts';
import { eventMover, type MovableAccounts } from './people/event-mover.ts';
import { ACCOUNTS, addAccounts } from './people/people.ts';

export type SandboxOptions = {
  /** Listen on the usual ports where they are free; on any free ones otherwise. */
  readonly usualPorts?: boolean;
  /** Further KALENDS_* settings. */
  readonly settings?: Readonly<Record<string, string>>;
};

export type Providers = {
  readonly google: GoogleSandbox;
  readonly microsoft: MicrosoftSandbox;
  readonly icloud: CalDavSandbox;
  readonly caldav: CalDavSandbox;
};

export type Sandbox = {
  readonly providers: Providers;
  readonly clock: SandboxClock;
  readonly faults: Faults;
  readonly kalends: KalendsProcess;
  /** Known to Kalends, with the demo's callback and webhook address. */
  readonly application: Application;
  /** Where to begin. */
  readonly demoUrl: string;
  readonly controlUrl: string;
  people(): readonly DemoPerson[];
  close(): Promise<void>;
};

const USUAL_PORTS = {
  kalends: 8080,
  demo: 8090,
  control: 8091,
  google: 8101,
  microsoft: 8102,
  icloud: 8103,
  caldav: 8104,
};
type Ports = Readonly<Record<keyof typeof USUAL_PORTS, number>>;

/** Everything is on loopback and kept in memory, but for Kalends' own data, in a temporary folder. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const stops: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    return await start(options, (stop) => stops.push(stop), close);
  } catch (failure) {
    await close();
    throw failure;
  }
}

async function start(
  { usualPorts = false, settings = {} }: SandboxOptions,
  later: (stop: () => Promise<unknown>) => void,
  close: () => Promise<void>,
): Promise<Sandbox> {
  const clock = sandboxClock();
  const faults = faultBoard();
  const ports = await choosePorts(usualPorts);
  const kalendsUrl = `http://127.0.0.1:${ports.kalends}`;
  const providers = await startProviders({ clock, faults, ports, kalendsUrl }, later);
  const all: readonly ProviderSandbox[] = Object.values(providers);
  const accounts: MovableAccounts[] = [];
  for (const { kind, manual } of all)
    accounts.push({ kind, manual, events: await addAccounts({ kind, manual }, clock.now()) });

  const kalends = await startKalends(ports.kalends, { ...settingsFor(providers), ...settings });
  later(() => kalends.close());
  const demoOrigin = `http://127.0.0.1:${ports.demo}`;
  const redirectUri = `${demoOrigin}/callback`;
  const credentials = await kalends.createClient({
    name: 'Sandbox demo',
    displayName: 'Tideline',
    redirectUri,
    webhookUrl: demoOrigin + WEBHOOK_PATH,
  });
  const application: Application = { kalendsUrl, redirectUri, ...credentials };

  const control = createServer({ log: CONSOLE_LOG, trustProxy: undefined, secure: false });
  control.register(controlRoute({ clock, faults, providers: all, ...controlsFor(providers, ports.demo) }));
  const controlUrl = `${await control.listen({ host: '127.0.0.1', port: ports.control })}/control`;
  later(() => control.close());
  const people = () => peopleAt(providers);
  const demo = await startDemo({
    application,
    people,
    controlUrl,
    mover: eventMover(accounts),
    deliveries: deliveryLog(),
    now: Date.now,
    port: ports.demo,
  });
  later(() => demo.close());
  return { providers, clock, faults, kalends, application, demoUrl: demo.origin, controlUrl, people, close };
}

/** Kalends' and the demo's are named to others before they are listened on; at 0 the system chooses. */
async function choosePorts(usual: boolean): Promise<Ports> {
  const free = async (name: keyof Ports) => (usual ? freePort(USUAL_PORTS[name]) : 0);
  const kalends = await freePort(usual ? USUAL_PORTS.kalends : 0);
  let demo = await freePort(usual ? USUAL_PORTS.demo : 0);
  while (demo === kalends) demo = await freePort();
  const [control, google] = [await free('control'), await free('google')];
  const [microsoft, icloud, caldav] = [await free('microsoft'), await free('icloud'), await free('caldav')];
  return { kalends, demo, control, google, microsoft, icloud, caldav };
}

type StartDeps = { clock: SandboxClock; faults: Faults; ports: Ports; kalendsUrl: string };

/** Not secrets: whoever reads this file can use them, at the sandbox alone. */
const GOOGLE_APP = { clientId: 'sandbox-google-app', clientSecret: 'sandbox-google-secret' };
const APP_NAME = 'Kalends sandbox';
const MICROSOFT_APP = {
  clientId: '5a4db0c5-0000-4000-8000-000000000001',
  clientSecret: 'sandbox-microsoft-secret',
};

async function startProviders(
  { clock, faults, ports, kalendsUrl }: StartDeps,
  later: (stop: () => Promise<unknown>) => void,
): Promise<Providers> {
  const deps = { clock, faults };
  const closedLater = <T extends ProviderSandbox>(provider: T): T => {
    later(() => provider.close());
    return provider;
  };
  const at = (kind: 'google' | 'microsoft') => [`${kalendsUrl}/connect/${kind}/callback`];
  // Every new app at Google begins in Testing: turn the clock by eight days to see what that means.
  const googleApps = [
    { ...GOOGLE_APP, name: APP_NAME, redirectUris: at('google'), status: 'testing' as const },
  ];
  const microsoftApps = [{ ...MICROSOFT_APP, redirectUris: at('microsoft'), name: APP_NAME }];
  return {
    google: closedLater(await googleSandbox({ ...deps, port: ports.google, apps: googleApps })),
    microsoft: closedLater(await microsoftSandbox({ ...deps, port: ports.microsoft, apps: microsoftApps })),
    icloud: closedLater(await caldavSandbox({ ...deps, kind: 'icloud', port: ports.icloud })),
    caldav: closedLater(
      await caldavSandbox({ ...deps, kind: 'caldav', schedules: true, port: ports.caldav }),
    ),
  };
}

/** What makes Kalends take the sandbox's providers for the real ones. */
function settingsFor({ google, microsoft, icloud }: Providers): Record<string, string> {
  return {
    KALENDS_GOOGLE_CLIENT_ID: GOOGLE_APP.clientId,
    KALENDS_GOOGLE_CLIENT_SECRET: GOOGLE_APP.clientSecret,
    KALENDS_GOOGLE_ISSUER: google.issuer,
    KALENDS_GOOGLE_API_URL: google.apiUrl,
    KALENDS_GOOGLE_CALENDARS: 'on',
    KALENDS_MICROSOFT_CLIENT_ID: MICROSOFT_APP.clientId,
    KALENDS_MICROSOFT_CLIENT_SECRET: MICROSOFT_APP.clientSecret,
    KALENDS_MICROSOFT_ISSUER: microsoft.issuer,
    KALENDS_MICROSOFT_API_URL: microsoft.apiUrl,
    KALENDS_APPLE_URL: icloud.origin,
    KALENDS_PRIVATE_NETWORK: 'loopback',
    KALENDS_LOG_LEVEL: 'warn',
  };
}

/** Whom the control page offers, and the organisation of those at Microsoft. */
function controlsFor({ microsoft, caldav }: Providers, demoPort: number) {
  const people = SANDBOX_KINDS.flatMap((kind) =>
    ACCOUNTS[kind].map(({ person: { email } }) => ({ kind, email })),
  );
  const [employee = ''] = ACCOUNTS.microsoft.map(({ person }) => person.email);
  const [, domain = ''] = employee.split('@');
  const organisation = { name: domain, demandConsent: () => microsoft.manual.demandAdminConsent(employee) };
  return { people, organisation, sent: caldav.sent, demoUrl: `http://127.0.0.1:${demoPort}` };
}

/** Passwords as they are now: withdrawing access changes them. */
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
