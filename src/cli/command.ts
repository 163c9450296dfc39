/**
 * What a command is: its arguments, as the parser, `--help` and docs/cli.md all read them, and its result, as text for
 * people and as one JSON document.
 */

import type { AppKind } from '../access/provider-apps.ts';
import type { Caller } from '../audit/audit-entry.ts';
import type { Config } from '../config/config.ts';
import { errorCode } from '../lib/error-code.ts';
import type { Scope } from '../oauth/scope.ts';
import type { MasterKeys } from '../system/master-key.ts';
import type { OperatorStores } from '../system/operator-stores.ts';
import type { PreparedRestore } from '../system/restore.ts';
import type { StorageReport } from '../system/storage-report.ts';

export type Command = {
  /** As it is typed, such as `client create`. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly positionals: readonly Positional[];
  readonly options: readonly CommandOption[];
  /** Further paragraphs of the help. */
  readonly notes?: readonly string[];
  /** Resolves to `undefined`, or the exit code, when it has printed its output itself, as `serve` does. */
  run(input: Input, context: Context): Promise<Result | number | undefined>;
};

/** An argument known by its place, such as CLIENT_ID. */
export type Positional = { readonly name: string; readonly doc: string; readonly optional?: true };

export type CommandOption = {
  /** Without the dashes. */
  readonly name: string;
  /** The name of the value in the help; a flag has none. */
  readonly value?: string;
  readonly doc: string;
  readonly required?: true;
  /** It may be given more than once: its values are in `lists`. */
  readonly repeatable?: true;
};

/** The command line after parsing: positionals by name, options by name. */
export type Input = {
  readonly positionals: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string | true>>;
  /** The values of repeatable options that were given. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
};

/** Everything a command needs to run. */
export type Context = {
  readonly io: Io;
  readonly json: boolean;
  readonly deps: CommandDeps;
  /** Whoever typed the command: what the stores of `withStorage` change is audited as theirs. */
  readonly caller: Caller;
  /** Reads the configuration; throws ConfigError. */
  config(): Config;
  /** Opens what the configuration names, runs `work`, and closes it whatever happened. */
  withStorage<T>(work: (storage: Storage) => Promise<T>): Promise<T>;
};

/** `json` is the whole document of `--json`; `text` is for people, without the last line feed. */
export type Result = { readonly json: unknown; readonly text: string; readonly exitCode?: number };

/** The environment and streams of the process, or of a test. */
export type Io = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: NodeJS.WritableStream;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
};

/** What `kalends sandbox` was asked for. */
export type SandboxRequest = {
  readonly redirectUris: readonly string[];
  readonly webhookUrl: string | undefined;
  /** Kalends' own. */
  readonly port: number | undefined;
  /** The folder that keeps everything. */
  readonly keep: string | undefined;
  /** Whether it prints one JSON document. */
  readonly json: boolean;
};

/** Supplied by main.ts, since only it names the concrete adapters. */
export type CommandDeps = {
  /** Serves until the process is told to stop; `json` asks for one JSON document once it listens. */
  serve(config: Config, options: { readonly json: boolean }): Promise<void>;
  /** Runs the sandbox until the process is told to stop, and resolves with the exit code. */
  runSandbox(request: SandboxRequest): Promise<number>;
  /** Opens and migrates the database; throws a sentence that says what to do when it cannot. */
  openStorage(config: Config): Promise<Storage>;
  /** Looks at the database without making or migrating it; for `doctor`. */
  inspectStorage(config: Config): Promise<StorageReport>;
  /** Checks a backup beside the database; for `restore`. */
  prepareRestore(config: Config, file: string, caller: Caller): Promise<PreparedRestore>;
  readonly requestedScope: RequestedScope;
  /** Epoch milliseconds. */
  now(): number;
};

/** What a provider is asked for in each of our scopes, as its authorization request has it, by spaces. */
export type RequestedScope = (kind: AppKind, config: Config) => Promise<(scope: Scope) => string>;

export type Storage = OperatorStores & {
  /** By how many milliseconds the clock that all instances share is ahead of this machine's. */
  clockOffset(): number;
  readonly masterKeys: MasterKeys;
  /** Copies the live database into a file that does not exist yet. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
};

/** A command's refusal: one sentence that says what to do. Exit code 2 is for wrong usage, 1 for the rest. */
export class CommandError extends Error {
  readonly code: string;
  readonly exitCode: 1 | 2;
  constructor(code: string, message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = 'CommandError';
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** A refusal of how the command was typed. */
export const usageError = (message: string): CommandError => new CommandError('usage', message, 2);

/** The refusal of a file that an option names. The code of `cause`, such as ENOENT, says why. */
export function unreadableFile(code: string, file: string, cause: unknown): CommandError {
  const known = errorCode(cause);
  const why = known === undefined ? '' : ` (${known})`;
  return new CommandError(code, `The file ${file} cannot be read${why}.`);
}
