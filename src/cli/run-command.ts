/**
 * Runs commands. Results go to standard output, as text or with --json as one document. Errors are one sentence on
 * standard error, or with --json `{"error", "message"}` on standard output. Exit codes: 0 success, 1 error, 2 wrong usage.
 */
import { userInfo } from 'node:os';
import type { Caller } from '../audit/audit-entry.ts';
import { SETTINGS } from '../branding/settings-error.ts';
import { type Config, ConfigError, loadConfig } from '../config/config.ts';
import { origin } from '../config/option.ts';
import { loadWithAddresses } from '../config/stored-addresses.ts';
import { ApiError } from '../http/refusal.ts';
import { isLoopbackHost } from '../lib/egress/private-network.ts';
import { nearestOf } from '../lib/nearest.ts';
import { version } from '../lib/version.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { RestoreError } from '../system/restore-error.ts';
import { RotationRefused } from '../system/rotate-master-key.ts';
import {
  type Command,
  type CommandDeps,
  CommandError,
  type Context,
  type Input,
  type Io,
  type Result,
  type Server,
  usageError,
} from './command.ts';
import { helpDocument, renderHelp, renderProgramHelp } from './help.ts';
import { findCommand, parseInput, withSuggestion } from './parse.ts';
import { runningSandboxes, sandboxNotice } from './running-sandboxes.ts';
import { terminalJson, terminalText } from './terminal-text.ts';

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

/** Returns the server of `--server` or KALENDS_SERVER, `undefined` without them. Throws usage errors and ConfigError. */
function findServer(
  { options }: Pick<Input, 'options'>,
  { env, config }: Pick<Io, 'env'> & { config(): Pick<Config, 'server' | 'adminKey'> },
): Server | undefined {
  const { server: option } = options;
  if (option === undefined && !env.KALENDS_SERVER && !env.KALENDS_SERVER_FILE) return undefined;
  const { server = '', adminKey } = config();
  const address = option === undefined ? server : readOption(String(option));
  if (adminKey === undefined) throw usageError(`Set KALENDS_ADMIN_KEY to an admin key of ${address}.`);
  const { protocol, hostname } = new URL(address);
  if (protocol === 'http:' && !isLoopbackHost(hostname) && options['allow-http'] !== true)
    throw usageError(`${address} would receive the admin key unencrypted. Use https, or add --allow-http.`);
  return { origin: address, adminKey };
}

function readOption(text: string): string {
  try {
    return origin(text);
  } catch (reason) {
    throw usageError(`--server ${reason instanceof Error ? reason.message : 'is invalid'}.`);
  }
}

/** Runs the one of `commands` in `argv`, without node and the program, and resolves to the exit code. Never throws. */
export async function runAmong(
  commands: readonly Command[],
  argv: readonly string[],
  { io, ...deps }: CommandDeps & { readonly io: Io },
): Promise<number> {
  const json = argv.slice(0, firstSeparator(argv)).includes('--json');
  try {
    const result = await runArgs(commands, argv, createContext(io, deps, json));
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

async function runArgs(
  commands: readonly Command[],
  argv: readonly string[],
  context: Context,
): Promise<Result | number | undefined> {
  const args = argv.filter((arg, i) => !(arg === '--json' && i < firstSeparator(argv)));
  const [first] = args;
  if (args.length === 0 || first === '--help' || first === '-h') return helpOfProgram(commands, []);
  if (first === '--version' || first === '-v')
    return { json: { version: version(), node: process.versions.node }, text: version() };
  if (first === 'help') return helpOfProgram(commands, args.slice(1));

  const match = findCommand(commands, args);
  if (match === undefined) return groupHelp(commands, args);
  const { command, rest } = match;
  const separator = firstSeparator(rest);
  if (rest.some((arg, i) => i < separator && (arg === '--help' || arg === '-h'))) return helpOfOne(command);
  const input = parseInput(command, rest);
  return command.run(input, await atServer(command, input, context));
}

/** Returns the context of a command: with `--server`, its operations run at that server. */
async function atServer(command: Command, input: Input, context: Context): Promise<Context> {
  const server = findServer(input, { env: context.io.env, config: context.config });
  if (server === undefined) return context;
  if (command.renderings === undefined)
    throw usageError(
      `"kalends ${command.name}" cannot run at a server. Run it there, without --server and KALENDS_SERVER.`,
    );
  const { remoteOperations } = await import('./remote-operations.ts');
  const { namingMissing } = await import('./operation-command.ts');
  const operations = namingMissing(remoteOperations(server));
  return { ...context, isRemote: true, withOperations: (work) => work(operations) };
}

const firstSeparator = (args: readonly string[]): number =>
  args.includes('--') ? args.indexOf('--') : args.length;

/** Returns the help of a group, such as for `kalends client --help`. Throws a usage error for anything else. */
function groupHelp(commands: readonly Command[], args: readonly string[]): Result {
  const allNames = commands.map(({ name }) => name);
  // A group of two words, such as `client verification`, has priority over one of its first word.
  const isGroup = (words: number) =>
    allNames.some((name) => name.startsWith(`${args.slice(0, words).join(' ')} `));
  const length = isGroup(2) ? 2 : 1;
  const group = args.slice(0, length).join(' ');
  const next = args[length];
  const kinds = allNames.flatMap((name) =>
    name.startsWith(`${group} `) ? name.slice(group.length + 1) : [],
  );
  if (kinds.length === 0) throw unknownCommand(commands, args.join(' '), group);
  if (next === '--help' || next === '-h') return helpOfProgram(commands, [group]);
  const nearest = next === undefined ? undefined : nearestOf(next, kinds);
  throw usageError(withSuggestion(`After "kalends ${group}", write one of ${kinds.join(', ')}`, nearest));
}

function unknownCommand(commands: readonly Command[], written: string, name: string): CommandError {
  const names = commands.flatMap((command) => [command.name, command.name.split(' ')[0] ?? '']);
  const nearest = nearestOf(written, names) ?? nearestOf(name, names);
  return usageError(withSuggestion(`"${name}" is not a command; "kalends help" lists them`, nearest));
}

function helpOfProgram(commands: readonly Command[], args: readonly string[]): Result {
  const prefix = args.join(' ');
  const exact = commands.find(({ name }) => name === prefix);
  if (exact) return helpOfOne(exact);
  const listed = commands.filter(({ name }) => prefix === '' || name.startsWith(`${prefix} `));
  if (listed.length === 0) throw unknownCommand(commands, prefix, prefix);
  return { json: { commands: listed.map(helpDocument) }, text: renderProgramHelp(listed) };
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
        const { administrationDeps } = await import('./administration-deps.ts');
        const { localOperations, namingMissing } = await import('./operation-command.ts');
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
