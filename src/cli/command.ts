/** The form of a command, from which the parser, `--help` and docs/cli.md derive, and of its result. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Caller } from '../audit/audit-entry.ts';
import type { Config } from '../config/config.ts';
import type { Addresses } from '../config/stored-addresses.ts';
import { errorCode } from '../lib/error-code.ts';
import type { MasterKeys } from '../system/master-key.ts';
import type { OperatorStores } from '../system/operator-stores.ts';
import type { RequestedScope } from '../system/provider-setup.ts';
import type { PreparedRestore } from '../system/restore.ts';
import type { StorageReport } from '../system/storage-report.ts';
import type { Operations, Rendering } from './rendering.ts';

export type Command = {
  /** The words that select it, such as `client create`. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly positionals?: readonly Positional[];
  readonly options?: readonly CommandOption[];
  /** Further paragraphs of the help. */
  readonly notes?: readonly string[];
  /** The operations that it runs, if it can run at a server. */
  readonly renderings?: readonly Rendering[];
  /** Resolves to `undefined` or the exit code if the command printed its output itself, as `serve` does. */
  run(input: Input, context: Context): Promise<Result | number | undefined>;
};

export type Positional = { readonly name: string; readonly doc: string; readonly optional?: true };

export type CommandOption = {
  /** Without the dashes. */
  readonly name: string;
  /** A letter that can be written after one dash instead. */
  readonly short?: string;
  /** The placeholder of the value in the help. Undefined for a flag. */
  readonly value?: string;
  readonly doc: string;
  readonly required?: true;
  /** The option can occur more than once; its values are in `lists`. */
  readonly repeatable?: true;
};

/** The parsed command line: positionals and options by name. */
export type Input = {
  readonly positionals: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string | true>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
};

export type Context = {
  readonly io: Io;
  readonly json: boolean;
  readonly deps: CommandDeps;
  /** The audit log names this caller for all changes through `withStorage`. */
  readonly caller: Caller;
  /** Reads the configuration. Throws ConfigError. */
  config(): Config;
  /**
   * Returns the configuration for a command that prints addresses, with the stored ones for those that the environment
   * does not set. Warns on standard error if both are missing. Throws ConfigError.
   */
  configWith(stored: Addresses | undefined): Config;
  /** Opens the configured storage for the time of `work`. */
  withStorage<T>(work: (storage: Storage) => Promise<T>): Promise<T>;
  /** Runs `work` with the operations on the configured storage, or at the server of `--server`. */
  withOperations<T>(work: (operations: Operations) => Promise<T>): Promise<T>;
  /** Whether the command runs at a server. */
  readonly isRemote: boolean;
};

/** `json` is the document of `--json`. `text` is for people, without the last line feed. */
export type Result = { readonly json: unknown; readonly text: string; readonly exitCode?: number };

export type Io = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: NodeJS.WritableStream;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
};

/** The server at which operations run. */
export type Server = { readonly origin: string; readonly adminKey: string };

/** The options of `kalends sandbox`. */
export type SandboxRequest = {
  readonly redirectUris: readonly string[];
  readonly webhookUrl: string | undefined;
  readonly port: number | undefined;
  /** The folder that stores everything for the next start. */
  readonly keep: string | undefined;
  readonly json: boolean;
};

/** The dependencies that main.ts supplies: only it imports adapters. */
export type CommandDeps = {
  /** Serves until a signal stops the process. With `json` it prints one document once it listens. */
  serve(config: Config, options: { readonly json: boolean }): Promise<void>;
  /** Runs the sandbox until a signal stops the process. Resolves to the exit code. */
  runSandbox(request: SandboxRequest): Promise<number>;
  /** Opens and migrates the database. The message of an error says how to fix it. */
  openStorage(config: Config): Promise<Omit<Storage, 'by' | 'addresses'>>;
  /** Applies pending migrations, or only checks for them. Returns their names, which are those of files. */
  migrateStorage(config: Config, options: { readonly check: boolean }): Promise<readonly string[]>;
  /** Inspects the database for `doctor`, without creating or migrating it. */
  inspectStorage(config: Config): Promise<StorageReport>;
  /** Checks a backup and compares it with the database, for `restore`. */
  prepareRestore(config: Config, file: string, caller: Caller): Promise<PreparedRestore>;
  readonly requestedScope: RequestedScope;
  /** Epoch milliseconds. */
  now(): number;
};

export type Storage = OperatorStores & {
  /** The command line. */
  readonly by: Caller;
  /** Returns the addresses to print, as `configWith` does. */
  addresses(): Promise<Addresses>;
  /** Milliseconds by which the clock of the database is ahead of this machine's. */
  clockOffset(): number;
  readonly masterKeys: MasterKeys;
  /** Copies the live database into a new file. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
};

/** An error of a command. The message is one sentence that says how to fix it; exit code 2 means wrong usage. */
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

/** Returns the error for wrong usage of a command. */
export const usageError = (message: string): CommandError => new CommandError('usage', message, 2);

/** Returns the error for a file that cannot be read; it includes the code of `cause`, such as ENOENT. */
export function unreadableFile(code: string, file: string, cause: unknown): CommandError {
  const reason = errorCode(cause);
  const suffix = reason === undefined ? '' : ` (${reason})`;
  return new CommandError(code, `The file ${file} cannot be read${suffix}.`);
}

/** Returns the absolute path of a new file. Throws CommandError if the file exists or its folder does not. */
export function newFile(name: string): string {
  const file = path.resolve(name);
  if (existsSync(file)) throw new CommandError('refused', `${file} exists already; name a new file.`);
  if (existsSync(path.dirname(file))) return file;
  throw new CommandError('refused', `${path.dirname(file)} is not a folder; create it first.`);
}
