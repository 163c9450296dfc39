/**
 * The command line. What a command answers goes to standard output, in words or with --json as one
 * document; what went wrong is one sentence on standard error, or with --json `{"error", "message"}`
 * on standard output. Exit codes: 0 done, 1 refused or failed, 2 wrong usage.
 */
import { ConfigError, loadConfig } from '../config/config.ts';
import { ApiError } from '../http/api-error.ts';
import { backupCommand } from './backup-command.ts';
import { clientCommands } from './client-commands.ts';
import {
  type Command,
  CommandError,
  type Context,
  type Io,
  type Result,
  usageError,
  type Wiring,
} from './command.ts';
import { doctorCommand } from './doctor-command.ts';
import { helpDocument, helpOf, helpOfAll } from './help.ts';
import { keysCommands } from './keys-commands.ts';
import { findCommand, parseInput } from './parse.ts';
import { serveCommand } from './serve-command.ts';
import { terminalJson, terminalText } from './terminal-text.ts';
import { userCommands } from './user-commands.ts';
import { versionResult } from './version.ts';

export type { Io, Storage, StorageReport, Wiring } from './command.ts';

/** Every command, in the order the help shows them. */
export const COMMANDS: readonly Command[] = [
  serveCommand,
  ...clientCommands,
  ...userCommands,
  ...keysCommands,
  backupCommand,
  doctorCommand,
];

/** Runs what `argv` (without node and the program) names, and answers the exit code. Never throws. */
export async function runCommand(argv: readonly string[], io: Io, wiring: Wiring): Promise<number> {
  const end = argv.indexOf('--');
  const json = (end < 0 ? argv : argv.slice(0, end)).includes('--json');
  try {
    const result = await perform(argv, contextOf(io, wiring, json));
    // `serve` has said what it had to say when it comes back.
    if (result !== undefined)
      io.stdout.write(`${json ? terminalJson(result.json) : terminalText(result.text)}\n`);
    return result?.exitCode ?? 0;
  } catch (reason) {
    const { code, message, exitCode } = failureOf(reason);
    if (json) io.stdout.write(`${terminalJson({ error: code, message })}\n`);
    else io.stderr.write(`kalends: ${terminalText(message)}\n`);
    return exitCode;
  }
}

async function perform(argv: readonly string[], context: Context): Promise<Result | undefined> {
  const words = argv.filter((word, i) => !(word === '--json' && i < firstSeparator(argv)));
  const [first] = words;
  if (words.length === 0 || first === '--help' || first === '-h') return helpOfProgram([]);
  if (first === '--version' || first === '-v') return versionResult();
  if (first === 'help') return helpOfProgram(words.slice(1));

  const found = findCommand(COMMANDS, words);
  if (found === undefined) return incomplete(words);
  const { command, rest } = found;
  const separator = firstSeparator(rest);
  if (rest.some((word, i) => i < separator && (word === '--help' || word === '-h')))
    return helpOfOne(command);
  return command.run(parseInput(command, rest), context);
}

const firstSeparator = (words: readonly string[]): number =>
  words.includes('--') ? words.indexOf('--') : words.length;

/** `kalends client` alone, or with --help, shows its group; anything else is not known. */
function incomplete(words: readonly string[]): Result {
  const [group = '', second] = words;
  const names = COMMANDS.map(({ name }) => name).filter((name) => name.startsWith(`${group} `));
  if (names.length > 0 && (second === '--help' || second === '-h')) return helpOfProgram([group]);
  if (names.length > 0) {
    const kinds = names.map((name) => name.slice(group.length + 1));
    throw usageError(`"kalends ${group}" needs one of ${kinds.join(', ')} behind it.`);
  }
  throw usageError(`"${group}" is not a command; "kalends help" lists them.`);
}

function helpOfProgram(words: readonly string[]): Result {
  const prefix = words.join(' ');
  const exact = COMMANDS.find(({ name }) => name === prefix);
  if (exact) return helpOfOne(exact);
  const shown = COMMANDS.filter(({ name }) => prefix === '' || name.startsWith(`${prefix} `));
  if (shown.length === 0) throw usageError(`"${prefix}" is not a command; "kalends help" lists them.`);
  return { json: { commands: shown.map(helpDocument) }, text: helpOfAll(shown) };
}

const helpOfOne = (command: Command): Result => ({ json: helpDocument(command), text: helpOf(command) });

function contextOf(io: Io, wiring: Wiring, json: boolean): Context {
  const config = () => loadConfig(io.env);
  return {
    io,
    json,
    wiring,
    config,
    async withStorage(work) {
      const storage = await wiring.openStorage(config());
      try {
        return await work(storage);
      } finally {
        await storage.close();
      }
    },
  };
}

function failureOf(reason: unknown): { code: string; message: string; exitCode: number } {
  if (reason instanceof CommandError) return reason;
  if (reason instanceof ConfigError) return { code: 'configuration', message: reason.message, exitCode: 1 };
  if (reason instanceof ApiError) {
    // A value that cannot be is wrong usage, such as a redirect URI with a fragment.
    return {
      code: String(reason.body.code),
      message: reason.message,
      exitCode: reason.status === 400 ? 2 : 1,
    };
  }
  const message = reason instanceof Error ? reason.message : String(reason);
  return { code: 'failed', message, exitCode: 1 };
}
