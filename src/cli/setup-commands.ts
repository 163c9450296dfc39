/** `kalends setup`: how to register a provider app, and a check of it. */
import { APP_KINDS, APP_NAMES } from '../access/provider-apps.ts';
import { checkProviderOperation, setupDocument } from '../administration/operations/system-operations.ts';
import type { ProviderApp } from '../calendars/calendar-provider.ts';
import type { Config } from '../config/config.ts';
import { type Addresses, setsAddress } from '../config/stored-addresses.ts';
import { nearestOf } from '../lib/nearest.ts';
import { COMMAND } from '../lib/version.ts';
import { LATE, within } from '../lib/within.ts';
import { type ProviderSetup, readProviderSetup, SETUP_STEPS } from '../system/provider-setup.ts';
import type { StorageReport } from '../system/storage-report.ts';
import { readSecret } from './client-options.ts';
import { type Command, type Context, type Input, type Result, usageError } from './command.ts';
import { INDENT, tabulate } from './help.ts';
import { runAndPrint } from './operation-command.ts';
import { withSuggestion } from './parse.ts';
import { rendering } from './rendering.ts';

const WIDTH = 110;
const PASTE = '     ';

const SETUP = rendering({ operation: checkProviderOperation, render: renderSetup });

export const setupCommand: Command = {
  name: 'setup',
  summary: 'Print how to register a provider app at Google or Microsoft, and check it',
  positionals: [{ name: 'PROVIDER', doc: '`google` or `microsoft`.' }],
  options: [
    {
      name: 'client-id',
      value: 'ID',
      doc: 'The client id of the provider app to check; by default the configured one.',
    },
    {
      name: 'client-secret-file',
      value: 'FILE',
      doc: 'A file with its client secret; `-` is standard input.',
    },
  ],
  notes: [
    'Prints the steps, and the address and the scopes to paste. With an id and a secret, or if KALENDS_GOOGLE_CLIENT_ID or KALENDS_MICROSOFT_CLIENT_ID is set, it checks the app at the provider; exit code 1 if the check fails. Changes nothing.',
  ],
  renderings: [SETUP],
  async run(input, context): Promise<Result> {
    const { PROVIDER: name = '' } = input.positionals;
    const kind = APP_KINDS.find((candidate) => candidate === name);
    if (kind === undefined) {
      const problem = `The provider must be ${APP_KINDS.join(' or ')}, not "${name}"`;
      throw usageError(withSuggestion(problem, nearestOf(name, APP_KINDS)));
    }
    const app = await readApp(input, context);
    if (context.isRemote) {
      const fields = { provider: kind, app_client_id: app?.clientId, client_secret: app?.clientSecret };
      return context.withOperations((operations) => runAndPrint(SETUP, fields, operations));
    }
    const { requestedScope } = context.deps;
    const setup = await readProviderSetup(kind, app, { config: await readConfig(context), requestedScope });
    return { json: setupDocument(setup), ...renderSetup(setup) };
  },
};

/** Returns the configuration with the stored addresses. The database need not exist. */
async function readConfig({ config, configWith, deps }: Context): Promise<Config> {
  const configured = config();
  const report = setsAddress(configured) ? LATE : await within(PATIENCE_MS, deps.inspectStorage(configured));
  return configWith(addressesIn(report));
}

/** The time limit of a read of the database. */
export const PATIENCE_MS = 10_000;

/** Returns the addresses in a report. Undefined if the database could not be read in time. */
export const addressesIn = (report: StorageReport | typeof LATE): Addresses | undefined =>
  report !== LATE && report.state === 'reachable' ? report.addresses : undefined;

async function readApp({ options }: Input, { io }: Context): Promise<ProviderApp | undefined> {
  const [id, file] = [options['client-id'], options['client-secret-file']];
  if (id === undefined && file === undefined) return undefined;
  if (typeof id !== 'string' || typeof file !== 'string' || id === '')
    throw usageError('Give --client-id ID and --client-secret-file FILE together.');
  const clientSecret = await readSecret(file, io);
  return { clientId: id, clientSecret };
}

function renderSetup(setup: ProviderSetup) {
  const { kind, notice, check } = setup;
  return {
    text: [
      `A provider app at ${APP_NAMES[kind]}, in ${SETUP_STEPS[kind].console}:`,
      '',
      ...stepLines(setup),
      ...(notice === undefined ? [] : ['', tabulate([[notice]], { width: WIDTH })]),
      '',
      ...checkLines(setup),
    ].join('\n'),
    exitCode: check === undefined || check.status === 'ok' ? 0 : 1,
  };
}

function stepLines({ kind, redirectUri, scopes }: ProviderSetup): string[] {
  const steps = SETUP_STEPS[kind];
  const rows = scopes.map(({ scope, for: uses }) => [scope, `for ${uses.join(', ')}`]);
  const all = [
    ...steps.before.map((text) => ({ text, paste: '' })),
    { text: steps.scopes, paste: tabulate(rows, { indent: PASTE }) },
    { text: steps.address, paste: PASTE + redirectUri },
    ...steps.after.map((text) => ({ text, paste: '' })),
  ];
  return all.flatMap(({ text, paste }, at) => [
    tabulate([[`${at + 1}.`, text]], { width: WIDTH }),
    ...(paste === '' ? [] : [paste]),
  ]);
}

function checkLines({ kind, check, settings: [id, secret] }: ProviderSetup): string[] {
  const command = `${INDENT}${COMMAND} setup ${kind} --client-id ID --client-secret-file FILE`;
  if (check === undefined) return ['Then check the provider app:', command];
  const lines = [tabulate([[check.status, check.message]], { width: WIDTH })];
  if (check.status !== 'ok') return lines;
  return [...lines, `To use it, set ${id} and ${secret} (or …_FILE).`];
}
