/**
 * The command line. Results go to standard output, as text or with --json as one document. Errors are one sentence on
 * standard error, or with --json `{"error", "message"}` on standard output. Exit codes: 0 success, 1 error, 2 wrong usage.
 */
import { userInfo } from 'node:os';
import type { AdminOperation } from '../administration/operations/operation.ts';
import { runChecksOperation } from '../administration/operations/system-operations.ts';
import type { Caller } from '../audit/audit-entry.ts';
import { SETTINGS } from '../branding/settings-error.ts';
import { type Config, ConfigError, loadConfig } from '../config/config.ts';
import { loadWithAddresses } from '../config/stored-addresses.ts';
import type { Members } from '../http/fields.ts';
import { ApiError } from '../http/refusal.ts';
import { nearestOf } from '../lib/nearest.ts';
import { version } from '../lib/version.ts';
import { within } from '../lib/within.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { checkAll } from '../system/doctor.ts';
import type { Check } from '../system/doctor-checks.ts';
import { providerAddresses } from '../system/doctor-config-checks.ts';
import { RestoreError } from '../system/restore-error.ts';
import { RotationRefused } from '../system/rotate-master-key.ts';
import { adminCommands } from './admin-commands.ts';
import { adminKeyCommands } from './admin-key-commands.ts';
import { administrationDeps } from './administration-deps.ts';
import { alertCommands } from './alert-commands.ts';
import { applyCommand, exportCommand } from './apply-commands.ts';
import { backupCommand, restoreCommand } from './backup-commands.ts';
import { clientCommands } from './client-commands.ts';
import {
  type Command,
  type CommandDeps,
  CommandError,
  type Context,
  type Input,
  type Io,
  type Result,
  usageError,
} from './command.ts';
import { completionCommand } from './completion-command.ts';
import { connectionCommands } from './connection-commands.ts';
import { helpDocument, renderHelp, renderProgramHelp, tabulate } from './help.ts';
import { keysCommands } from './keys-commands.ts';
import { listenCommand } from './listen-command.ts';
import { auditCommands, deliveryCommands, requestCommands } from './log-commands.ts';
import { migrateCommand } from './migrate-command.ts';
import { localOperations, namingMissing, renderOutput, runAndPrint } from './operation-command.ts';
import { oneOf } from './option-values.ts';
import { findCommand, parseInput, withSuggestion } from './parse.ts';
import { findServer, remoteOperations } from './remote-operations.ts';
import { type Completed, rendering } from './rendering.ts';
import { runningSandboxes, sandboxNotice } from './running-sandboxes.ts';
import { sandboxCommand } from './sandbox-command.ts';
import { addressesIn, PATIENCE_MS, setupCommand } from './setup-commands.ts';
import { terminalJson, terminalText } from './terminal-text.ts';
import { userCommands } from './user-commands.ts';
import { verificationCommands } from './verification-commands.ts';
import { webhookCommands } from './webhook-commands.ts';

/** Returns the caller that the audit log names for a command. `now` returns epoch milliseconds. */
export const commandLineCaller = (now: () => number): Caller => ({
  actor: { kind: 'command_line', name: systemUser() },
  address: undefined,
  now,
});

/** Returns the name of the operating system's user, or its number if it has no name, as in some containers. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

const ROLES = ['all', 'web', 'worker'] as const;

const serveCommand: Command = {
  name: 'serve',
  summary: 'Run the server: requests and background work',
  options: [
    {
      name: 'role',
      value: 'ROLE',
      doc: '`web` serves requests, `worker` does background work, `all` does both. Overrides KALENDS_ROLE.',
    },
  ],
  notes: [
    'The first start creates the data folder, the keys and the database. SIGTERM or Ctrl-C stops it after running requests have finished, SIGTERM after KALENDS_DRAIN_SECONDS.',
  ],
  async run({ options }, { config, json, deps }): Promise<Result | undefined> {
    const problem = `--role must be one of ${ROLES.join(', ')}, not "${options.role}".`;
    const role = oneOf(options.role, ROLES, problem) ?? config().role;
    const settings = config().settings.map((setting) =>
      setting.name === 'KALENDS_ROLE' && options.role !== undefined
        ? { ...setting, value: role, from: 'option' as const }
        : setting,
    );
    await deps.serve({ ...config(), role, settings }, { json });
    return undefined;
  },
};

const DOCTOR = rendering({ operation: runChecksOperation, render: ({ checks }) => renderChecks(checks) });

const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check the configuration, keys, database, clock and addresses',
  notes: ['Changes nothing. Says how to fix each problem. Exit code 1 if a check fails, 0 with warnings.'],
  renderings: [DOCTOR],
  async run(_, context) {
    if (context.isRemote) return context.withOperations((operations) => runAndPrint(DOCTOR, {}, operations));
    let config: Config;
    let inspected: ReturnType<CommandDeps['inspectStorage']>;
    try {
      inspected = context.deps.inspectStorage(context.config());
      config = context.configWith(addressesIn(await within(PATIENCE_MS, inspected)));
    } catch (reason) {
      if (!(reason instanceof ConfigError)) throw reason;
      const checks = reason.problems.map((problem) => ({
        name: 'configuration',
        status: 'fail' as const,
        message: `${problem}.`,
      }));
      return doctorResult(checks, []);
    }
    const checks = await checkAll(config, { ...context.deps, inspectStorage: () => inspected });
    return doctorResult(checks, providerAddresses(config));
  },
};

const doctorResult = (checks: readonly Check[], addresses: readonly string[]): Result => {
  const output = renderChecks(checks);
  return { json: { ok: output.exitCode === 0, checks, addresses_to_register: addresses }, ...output };
};

function renderChecks(checks: readonly Check[]) {
  const failed = checks.filter(({ status }) => status === 'fail').length;
  const warned = checks.filter(({ status }) => status === 'warn').length;
  const rows = checks.map(({ name, status, message }) => [status, name, message]);
  const end = failed + warned === 0 ? 'No problems.' : `${failed} problem(s), ${warned} warning(s).`;
  return {
    text: `${tabulate(rows, { width: 110 })}\n\n${end}`,
    exitCode: failed === 0 ? 0 : 1,
  };
}

/** All commands in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serveCommand,
  sandboxCommand,
  setupCommand,
  ...clientCommands,
  ...verificationCommands,
  ...userCommands,
  ...connectionCommands,
  ...adminCommands,
  ...adminKeyCommands,
  ...keysCommands,
  ...webhookCommands,
  ...deliveryCommands,
  ...requestCommands,
  listenCommand,
  applyCommand,
  exportCommand,
  ...auditCommands,
  ...alertCommands,
  backupCommand,
  restoreCommand,
  migrateCommand,
  doctorCommand,
  completionCommand(() => COMMANDS),
];

/** Runs the command in `argv`, without node and the program, and resolves to the exit code. Never throws. */
export async function runCommand(argv: readonly string[], io: Io, deps: CommandDeps): Promise<number> {
  const json = argv.slice(0, firstSeparator(argv)).includes('--json');
  try {
    const result = await runArgs(argv, createContext(io, deps, json));
    if (typeof result === 'number') return result;
    // `serve` prints its own output.
    if (result !== undefined)
      io.stdout.write(`${json ? terminalJson(result.json) : terminalText(result.text)}\n`);
    return result?.exitCode ?? 0;
  } catch (reason) {
    const { code, message, exitCode } = toFailure(reason);
    if (json) io.stdout.write(`${terminalJson({ error: code, message })}\n`);
    else io.stderr.write(`kalends: ${terminalText(message)}\n`);
    return exitCode;
  }
}

async function runArgs(argv: readonly string[], context: Context): Promise<Result | number | undefined> {
  const args = argv.filter((arg, i) => !(arg === '--json' && i < firstSeparator(argv)));
  const [first] = args;
  if (args.length === 0 || first === '--help' || first === '-h') return helpOfProgram([]);
  if (first === '--version' || first === '-v')
    return { json: { version: version(), node: process.versions.node }, text: version() };
  if (first === 'help') return helpOfProgram(args.slice(1));

  const match = findCommand(COMMANDS, args);
  if (match === undefined) return groupHelp(args);
  const { command, rest } = match;
  const separator = firstSeparator(rest);
  if (rest.some((arg, i) => i < separator && (arg === '--help' || arg === '-h'))) return helpOfOne(command);
  const input = parseInput(command, rest);
  return command.run(input, atServer(command, input, context));
}

/** Returns the context of a command: with `--server`, its operations run at that server. */
function atServer(command: Command, input: Input, context: Context): Context {
  const server = findServer(input, { env: context.io.env, config: context.config });
  if (server === undefined) return context;
  if (command.renderings === undefined)
    throw usageError(
      `"kalends ${command.name}" cannot run at a server. Run it there, without --server and KALENDS_SERVER.`,
    );
  const operations = namingMissing(remoteOperations(server));
  return { ...context, isRemote: true, withOperations: (work) => work(operations) };
}

/** Returns the renderer of the command that runs an operation, for `--server`. */
export function findRenderer({ id }: Pick<AdminOperation, 'id'>) {
  const renderings = COMMANDS.flatMap((command) => command.renderings ?? []);
  const row = renderings.find(({ operation }) => operation.id === id);
  return row && ((result: unknown, done: Completed<Members>) => renderOutput(row, result, done));
}

const firstSeparator = (args: readonly string[]): number =>
  args.includes('--') ? args.indexOf('--') : args.length;

/** Returns the help of a group, such as for `kalends client --help`. Throws a usage error for anything else. */
function groupHelp(args: readonly string[]): Result {
  const allNames = COMMANDS.map(({ name }) => name);
  // A group of two words, such as `client verification`, has priority over one of its first word.
  const isGroup = (words: number) =>
    allNames.some((name) => name.startsWith(`${args.slice(0, words).join(' ')} `));
  const length = isGroup(2) ? 2 : 1;
  const group = args.slice(0, length).join(' ');
  const next = args[length];
  const kinds = allNames.flatMap((name) =>
    name.startsWith(`${group} `) ? name.slice(group.length + 1) : [],
  );
  if (kinds.length === 0) throw unknownCommand(args.join(' '), group);
  if (next === '--help' || next === '-h') return helpOfProgram([group]);
  const nearest = next === undefined ? undefined : nearestOf(next, kinds);
  throw usageError(withSuggestion(`After "kalends ${group}", write one of ${kinds.join(', ')}`, nearest));
}

function unknownCommand(written: string, name: string): CommandError {
  const names = COMMANDS.flatMap((command) => [command.name, command.name.split(' ')[0] ?? '']);
  const nearest = nearestOf(written, names) ?? nearestOf(name, names);
  return usageError(withSuggestion(`"${name}" is not a command; "kalends help" lists them`, nearest));
}

function helpOfProgram(args: readonly string[]): Result {
  const prefix = args.join(' ');
  const exact = COMMANDS.find(({ name }) => name === prefix);
  if (exact) return helpOfOne(exact);
  const commands = COMMANDS.filter(({ name }) => prefix === '' || name.startsWith(`${prefix} `));
  if (commands.length === 0) throw unknownCommand(prefix, prefix);
  return { json: { commands: commands.map(helpDocument) }, text: renderProgramHelp(commands) };
}

const helpOfOne = (command: Command): Result => ({ json: helpDocument(command), text: renderHelp(command) });

function createContext(io: Io, deps: CommandDeps, json: boolean): Context {
  const config = () => loadConfig(io.env);
  // Instances compare times that a command writes with the clock of the database.
  let clockOffset = () => 0;
  const now = () => deps.now() + clockOffset();
  const caller = commandLineCaller(now);
  const configWith: Context['configWith'] = (stored) => {
    const { config: complete, isDefault } = loadWithAddresses(io.env, stored);
    if (isDefault) io.stderr.write(`kalends: ${defaultAddressNotice(complete)}\n`);
    return complete;
  };
  const context: Context = {
    ...{ io, json, deps: { ...deps, now }, caller, config, configWith, isRemote: false },
    withOperations: (work) =>
      context.withStorage(async (storage) => {
        const operationDeps = administrationDeps(storage, context);
        return work(namingMissing(localOperations(operationDeps))).finally(operationDeps.webhookEgress.close);
      }),
    async withStorage(work) {
      const loaded = config();
      noticeSandboxes(loaded, io);
      const storage = await deps.openStorage(loaded);
      clockOffset = storage.clockOffset;
      try {
        const addresses = async () => configWith(await storage.system.readAddresses());
        return await work({ ...storage, by: caller, addresses });
      } finally {
        await storage.close();
      }
    },
  };
  return context;
}

const defaultAddressNotice = ({ url }: Config): string =>
  `KALENDS_URL is not set and the database has no address of a server, so addresses begin with the default ${url}.`;

/** Mentions running sandboxes unless the environment selects the data. */
function noticeSandboxes({ settings, dataDir }: Config, io: Io): void {
  const isNamed = settings.some(
    ({ name, from }) => ['KALENDS_DATA_DIR', 'KALENDS_DATABASE_URL'].includes(name) && from !== 'default',
  );
  const notice = isNamed ? undefined : sandboxNotice(dataDir, runningSandboxes());
  if (notice !== undefined) io.stderr.write(`${terminalText(notice)}\n`);
}

const isUsage = ({ status, body: { code } }: ApiError): boolean =>
  status === 400 || code === SETTINGS.last_redirect_uri.code;

function toFailure(reason: unknown): { code: string; message: string; exitCode: number } {
  if (reason instanceof CommandError) return reason;
  if (reason instanceof ConfigError) return { code: 'configuration', message: reason.message, exitCode: 1 };
  const message = reason instanceof Error ? reason.message : String(reason);
  // An invalid value, such as a redirect URI with a fragment, is wrong usage.
  if (reason instanceof ApiError)
    return { code: String(reason.body.code), message, exitCode: isUsage(reason) ? 2 : 1 };
  if (reason instanceof PeopleRefusal && reason.kind === 'not_there')
    return { code: 'not_found', message: 'The object was deleted meanwhile.', exitCode: 1 };
  const isRefused = reason instanceof RestoreError || reason instanceof RotationRefused;
  return { code: isRefused ? 'refused' : 'failed', message, exitCode: 1 };
}
