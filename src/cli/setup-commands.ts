/** `kalends setup google|microsoft`: what to register there, with what to paste, and whether it is accepted. */
import { APP_KINDS, APP_NAMES, type AppKind, checkProviderApp } from '../access/provider-apps.ts';
import type { ProviderApp } from '../calendars/calendar-provider.ts';
import type { Config } from '../config/config.ts';
import { COMMAND } from '../lib/version.ts';
import { SCOPES } from '../oauth/scope.ts';
import type { Check } from '../system/doctor-checks.ts';
import { providerAddress } from '../system/doctor-config-checks.ts';
import { checkProvider } from '../system/doctor-provider-checks.ts';
import {
  type Command,
  type CommandOption,
  type Context,
  type Input,
  type Result,
  usageError,
} from './command.ts';
import { readSecret } from './provider-app-options.ts';
import { SETUP_STEPS } from './setup-steps.ts';
import { INDENT, tabulate } from './table.ts';

const WIDTH = 110;
const PASTE = '     ';

const OPTIONS: readonly CommandOption[] = [
  { name: 'client-id', value: 'ID', doc: 'The id of the app, to check; what is set otherwise.' },
  {
    name: 'client-secret-file',
    value: 'FILE',
    doc: 'File with its secret; `-` is standard input.',
  },
];

export const setupCommands: readonly Command[] = APP_KINDS.map((kind) => ({
  name: `setup ${kind}`,
  summary: `Say what to register at ${APP_NAMES[kind]}, and check the app`,
  positionals: [],
  options: OPTIONS,
  notes: [
    `Prints the steps, the address and the scopes to paste. With an id and a secret, or with ${settingOf(kind)}_CLIENT_ID set, it asks ${APP_NAMES[kind]} whether the app is accepted; exit code 1 when it is not. Changes nothing.`,
  ],
  async run(input, context): Promise<Result> {
    const config = context.config();
    const app = (await appOf(input, context)) ?? config[kind].app;
    const scopes = await scopesOf(kind, config, context);
    const check = app && (await checkProvider(kind, { ...config, [kind]: { ...config[kind], app } }));
    return resultOf(kind, { config, scopes, check });
  },
}));

type NamedScope = { readonly scope: string; readonly for: readonly string[] };

/** Each of the provider's scopes once, with those of Kalends it is asked for. */
async function scopesOf(kind: AppKind, config: Config, { deps }: Context): Promise<readonly NamedScope[]> {
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

async function appOf({ options }: Input, { io }: Context): Promise<ProviderApp | undefined> {
  const [id, file] = [options['client-id'], options['client-secret-file']];
  if (id === undefined && file === undefined) return undefined;
  if (typeof id !== 'string' || typeof file !== 'string' || id === '')
    throw usageError('--client-id ID and --client-secret-file FILE belong together.');
  const clientSecret = await readSecret(file, io);
  checkProviderApp({ appClientId: id, clientSecret });
  return { clientId: id, clientSecret };
}

type Found = {
  readonly config: Config;
  readonly scopes: readonly NamedScope[];
  readonly check: Check | undefined;
};

function resultOf(kind: AppKind, { config, scopes, check }: Found): Result {
  const { console: place } = SETUP_STEPS[kind];
  const address = providerAddress(kind, config);
  const notice = noticeOf(kind, config);
  const settings = [`${settingOf(kind)}_CLIENT_ID`, `${settingOf(kind)}_CLIENT_SECRET`];
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
      `An app at ${APP_NAMES[kind]}, in ${place}:`,
      '',
      ...stepsOf(kind, address, scopes),
      ...(notice === undefined ? [] : ['', tabulate([[notice]], { width: WIDTH })]),
      '',
      ...endOf(kind, check),
    ].join('\n'),
    exitCode: check === undefined || check.status === 'ok' ? 0 : 1,
  };
}

function stepsOf(kind: AppKind, address: string, scopes: readonly NamedScope[]): string[] {
  const steps = SETUP_STEPS[kind];
  const rows = scopes.map((one) => [one.scope, `for ${one.for.join(', ')}`]);
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

function endOf(kind: AppKind, check: Check | undefined): string[] {
  if (check === undefined) {
    return [
      'Then check the app you got:',
      `${INDENT}${COMMAND} setup ${kind} --client-id ID --client-secret-file FILE`,
    ];
  }
  const lines = [tabulate([[check.status, check.message]], { width: WIDTH })];
  if (check.status !== 'ok') return lines;
  const setting = settingOf(kind);
  return [...lines, `It serves once ${setting}_CLIENT_ID and ${setting}_CLIENT_SECRET (or …_FILE) are set.`];
}

/** What the provider will refuse of the address, before somebody has pasted it. */
function noticeOf(kind: AppKind, { url }: Config): string | undefined {
  const { plainHosts } = SETUP_STEPS[kind];
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || plainHosts.includes(hostname)) return undefined;
  return `${APP_NAMES[kind]} takes plain http for ${plainHosts.join(' and ')} only: set KALENDS_URL to the address that browsers see.`;
}

function settingOf(kind: AppKind): string {
  return `KALENDS_${kind.toUpperCase()}`;
}
