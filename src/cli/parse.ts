/** Finds the command that the arguments select, and parses its input. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

import { nearestOf } from '../lib/nearest.ts';
import { type Command, type CommandOption, type Input, usageError } from './command.ts';

const COMMON_OPTIONS: readonly CommandOption[] = [
  { name: 'json', doc: 'Print one JSON document on standard output and nothing else.' },
  { name: 'help', doc: 'Show this help.' },
];

/** The options of commands that can run at a server. */
const SERVER_OPTIONS: readonly CommandOption[] = [
  {
    name: 'server',
    value: 'URL',
    doc: 'Run at this server with the admin key in KALENDS_ADMIN_KEY, instead of on the database. Overrides KALENDS_SERVER.',
  },
  { name: 'allow-http', doc: 'Send the admin key to another machine over plain http.' },
];

/** Returns the options of a command with those that it shares with others. */
export const allOptions = ({ options = [], renderings }: Command): readonly CommandOption[] => [
  ...options,
  ...(renderings === undefined ? [] : SERVER_OPTIONS),
  ...COMMON_OPTIONS,
];

/** Returns the command that the first arguments select, and the other arguments. */
export function findCommand(
  commands: readonly Command[],
  args: readonly string[],
): { command: Command; rest: string[] } | undefined {
  for (const length of [3, 2, 1]) {
    const name = args.slice(0, length).join(' ');
    const command = commands.find((candidate) => candidate.name === name);
    if (command) return { command, rest: args.slice(name.split(' ').length) };
  }
  return undefined;
}

/** Parses the arguments of a command. Throws a usage error that names the first invalid one. */
export function parseInput(command: Command, args: readonly string[]): Input {
  const { values, lists, positionals } = parseArguments(command, args);
  const byName: Record<string, string> = {};
  for (const [i, { name, optional }] of (command.positionals ?? []).entries()) {
    const value = positionals[i];
    if (value !== undefined) byName[name] = value;
    else if (!optional) throw misuse(command, `${name} is missing`);
  }
  const extra = positionals[command.positionals?.length ?? 0];
  if (extra !== undefined) throw misuse(command, `"${extra}" is one argument too many`);
  for (const { name, value, required } of command.options ?? []) {
    if (required && values[name] === undefined && lists[name] === undefined)
      throw misuse(command, `--${name} ${value} is missing`);
  }
  return { positionals: byName, options: values, lists };
}

/** Returns the problem as a sentence, and the suggested correction as another one. */
export const withSuggestion = (problem: string, correction: string | undefined): string =>
  correction === undefined ? `${problem}.` : `${problem}. Did you mean "${correction}"?`;

const MARK = '\0';

type ParsedArguments = {
  values: Record<string, string | true>;
  lists: Record<string, string[]>;
  positionals: string[];
};

function parseArguments(command: Command, args: readonly string[]): ParsedArguments {
  const allowed = [...new Set([...allOptions(command), ...SERVER_OPTIONS])];
  const options: ParseArgsOptionsConfig = {};
  for (const { name, value } of allowed) options[name] = { type: value === undefined ? 'boolean' : 'string' };
  const markedWord = (word: string) => {
    const option = allowed.find(({ short }) => word === `-${short}`);
    return option === undefined ? MARK + word : `--${option.name}`;
  };
  // Most options are long: an id that begins with one hyphen would be split into short ones. No argument contains U+0000.
  const marked = args.map((word) => (/^-[^-]/.test(word) ? markedWord(word) : word));
  // Not strict, so that the error messages are ours. The tokens have the text as typed.
  const { tokens } = parseArgs({
    args: marked,
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });

  const parsed: ParsedArguments = { values: {}, lists: {}, positionals: [] };
  for (const { ...token } of tokens) {
    if ('value' in token) token.value = token.value?.replace(MARK, '');
    if (token.kind === 'positional') parsed.positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const option = allowed.find(({ name }) => name === token.name);
    if (option === undefined) {
      const nearest = nearestOf(
        token.name,
        allowed.map(({ name }) => name),
      );
      throw misuse(
        command,
        `${token.rawName} is not an option of ${command.name}`,
        nearest && `--${nearest}`,
      );
    }
    if (option.value === undefined && token.value !== undefined) {
      throw misuse(command, `${token.rawName} takes no value`);
    }
    // An empty value counts: `--display-name ""` empties the field.
    if (option.value !== undefined && token.value === undefined) {
      throw misuse(command, `${token.rawName} needs its ${option.value}`);
    }
    if (option.repeatable && token.value !== undefined) {
      parsed.lists[token.name] = [...(parsed.lists[token.name] ?? []), token.value];
      continue;
    }
    if (parsed.values[token.name] !== undefined) throw misuse(command, `${token.rawName} is given twice`);
    parsed.values[token.name] = token.value ?? true;
  }
  return parsed;
}

function misuse(command: Command, problem: string, correction?: string) {
  const help = `"kalends ${command.name} --help" shows what the command takes.`;
  return usageError(`${withSuggestion(problem, correction)} ${help}`);
}
