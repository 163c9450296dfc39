/** `kalends setup google|microsoft`: how to register a provider app, and a check of it. */
import { APP_KINDS, APP_NAMES, type AppKind, checkProviderApp } from '../access/provider-apps.ts';
import type { ProviderApp } from '../calendars/calendar-provider.ts';
import type { Config } from '../config/config.ts';
import { type Addresses, setsAddress } from '../config/stored-addresses.ts';
import { COMMAND } from '../lib/version.ts';
import { LATE, within } from '../lib/within.ts';
import { SCOPES } from '../oauth/scope.ts';
import type { Check } from '../system/doctor-checks.ts';
import { providerAddress } from '../system/doctor-config-checks.ts';
import { checkProvider } from '../system/doctor-provider-checks.ts';
import type { StorageReport } from '../system/storage-report.ts';
import { readSecret } from './client-options.ts';
import {
  type Command,
  type CommandOption,
  type Context,
  type Input,
  type Result,
  usageError,
} from './command.ts';
import { INDENT, tabulate } from './help.ts';

const WIDTH = 110;
const settingPrefix = (kind: AppKind): string => `KALENDS_${kind.toUpperCase()}`;
const PASTE = '     ';

const OPTIONS: readonly CommandOption[] = [
  {
    name: 'client-id',
    value: 'ID',
    doc: 'The client id of the provider app to check; by default the configured one.',
  },
  { name: 'client-secret-file', value: 'FILE', doc: 'A file with its client secret; `-` is standard input.' },
];

export const setupCommands: readonly Command[] = APP_KINDS.map((kind) => ({
  name: `setup ${kind}`,
  summary: `Print how to register a provider app at ${APP_NAMES[kind]}, and check it`,
  options: OPTIONS,
  notes: [
    `Prints the steps, and the address and the scopes to paste. With an id and a secret, or if ${settingPrefix(kind)}_CLIENT_ID is set, it checks the app at ${APP_NAMES[kind]}; exit code 1 if the check fails. Changes nothing.`,
  ],
  async run(input, context): Promise<Result> {
    const { config: readConfig, configWith, deps } = context;
    const configured = readConfig();
    const report = setsAddress(configured)
      ? LATE
      : await within(PATIENCE_MS, deps.inspectStorage(configured));
    const config = configWith(addressesIn(report));
    const app = (await readApp(input, context)) ?? config[kind].app;
    const scopes = await listScopes(kind, config, context);
    const check = app && (await checkProvider(kind, { ...config, [kind]: { ...config[kind], app } }));
    return toResult(kind, { config, scopes, check });
  },
}));

/** The time limit of a read of the database. */
export const PATIENCE_MS = 10_000;

/** Returns the addresses in a report. Undefined if the database could not be read in time. */
export const addressesIn = (report: StorageReport | typeof LATE): Addresses | undefined =>
  report !== LATE && report.state === 'reachable' ? report.addresses : undefined;

type NamedScope = { readonly scope: string; readonly for: readonly string[] };

/** Lists each scope of the provider once, with the scopes of Kalends that need it. */
async function listScopes(kind: AppKind, config: Config, { deps }: Context): Promise<readonly NamedScope[]> {
  const requested = await deps.requestedScope(kind, config);
  const pairs = SCOPES.flatMap((scope) =>
    requested(scope)
      .split(' ')
      .map((name) => ({ scope, name })),
  );
  return [...Map.groupBy(pairs, ({ name }) => name)].map(([name, uses]) => ({
    scope: SETUP_STEPS[kind].scopeNames[name] ?? name,
    for: uses.map(({ scope }) => scope),
  }));
}

async function readApp({ options }: Input, { io }: Context): Promise<ProviderApp | undefined> {
  const [id, file] = [options['client-id'], options['client-secret-file']];
  if (id === undefined && file === undefined) return undefined;
  if (typeof id !== 'string' || typeof file !== 'string' || id === '')
    throw usageError('Give --client-id ID and --client-secret-file FILE together.');
  const clientSecret = await readSecret(file, io);
  checkProviderApp({ appClientId: id, clientSecret });
  return { clientId: id, clientSecret };
}

function toResult(
  kind: AppKind,
  { config, scopes, check }: { config: Config; scopes: readonly NamedScope[]; check: Check | undefined },
): Result {
  const { console: place } = SETUP_STEPS[kind];
  const address = providerAddress(kind, config);
  const notice = httpNotice(kind, config);
  const settings = [`${settingPrefix(kind)}_CLIENT_ID`, `${settingPrefix(kind)}_CLIENT_SECRET`];
  return {
    json: {
      provider: kind,
      console: place,
      redirect_uri: address,
      scopes,
      settings,
      notice: notice ?? null,
      check: check ? { status: check.status, message: check.message } : null,
    },
    text: [
      `A provider app at ${APP_NAMES[kind]}, in ${place}:`,
      '',
      ...stepLines(kind, address, scopes),
      ...(notice === undefined ? [] : ['', tabulate([[notice]], { width: WIDTH })]),
      '',
      ...checkLines(kind, check),
    ].join('\n'),
    exitCode: check === undefined || check.status === 'ok' ? 0 : 1,
  };
}

function stepLines(kind: AppKind, address: string, scopes: readonly NamedScope[]): string[] {
  const steps = SETUP_STEPS[kind];
  const rows = scopes.map(({ scope, for: uses }) => [scope, `for ${uses.join(', ')}`]);
  const all = [
    ...steps.before.map((text) => ({ text, paste: '' })),
    { text: steps.scopes, paste: tabulate(rows, { indent: PASTE }) },
    { text: steps.address, paste: PASTE + address },
    ...steps.after.map((text) => ({ text, paste: '' })),
  ];
  return all.flatMap(({ text, paste }, at) => [
    tabulate([[`${at + 1}.`, text]], { width: WIDTH }),
    ...(paste === '' ? [] : [paste]),
  ]);
}

function checkLines(kind: AppKind, check: Check | undefined): string[] {
  const command = `${INDENT}${COMMAND} setup ${kind} --client-id ID --client-secret-file FILE`;
  if (check === undefined) return ['Then check the provider app:', command];
  const lines = [tabulate([[check.status, check.message]], { width: WIDTH })];
  if (check.status !== 'ok') return lines;
  const setting = settingPrefix(kind);
  return [...lines, `To use it, set ${setting}_CLIENT_ID and ${setting}_CLIENT_SECRET (or …_FILE).`];
}

/** Returns a notice if the provider will reject the address because it is plain http. */
function httpNotice(kind: AppKind, { url }: Config): string | undefined {
  const { plainHosts } = SETUP_STEPS[kind];
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || plainHosts.includes(hostname)) return undefined;
  return `${APP_NAMES[kind]} accepts plain http only for ${plainHosts.join(' and ')}: set KALENDS_URL to the public https address.`;
}

type SetupSteps = {
  readonly console: string;
  readonly before: readonly string[];
  /** The step for the scopes, then the step for the redirect URI. */
  readonly scopes: string;
  readonly address: string;
  readonly after: readonly string[];
  /** Scopes that the console calls differently than requests do. */
  readonly scopeNames: Readonly<Record<string, string>>;
  /** Hosts for which the provider accepts plain http. */
  readonly plainHosts: readonly string[];
};

const SETUP_STEPS: Readonly<Record<AppKind, SetupSteps>> = {
  google: {
    console: 'https://console.cloud.google.com',
    before: [
      'Create or select a project. APIs & Services, Library: enable Google Calendar API.',
      'Google Auth Platform, Branding: the name users will see, a support address, your domain, home page and privacy policy.',
      'Audience: External for everyone, Internal for your own Workspace organization only.',
    ],
    scopes: 'Data access, Add or remove scopes, Manually add scopes:',
    address: 'Clients, Create client, Web application, Authorized redirect URIs:',
    after: ['Audience, Publish app: an app in Testing loses every connection after seven days.'],
    scopeNames: { email: 'https://www.googleapis.com/auth/userinfo.email' },
    plainHosts: ['localhost', '127.0.0.1'],
  },
  microsoft: {
    console: 'https://entra.microsoft.com',
    before: [
      'App registrations, New registration. Supported account types: any organizational directory and personal Microsoft accounts, for everyone.',
    ],
    scopes: 'API permissions, Add a permission, Microsoft Graph, Delegated permissions:',
    address: 'Authentication, Add a platform, Web, Redirect URI:',
    after: [
      'Certificates & secrets, New client secret: copy its value (not its id) at once, and note when it expires.',
      'Branding & properties, Publisher domain: many organizations let their users consent to verified publishers only.',
    ],
    scopeNames: {},
    plainHosts: ['localhost'],
  },
};
