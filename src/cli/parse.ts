/** From words on the command line to a command and its input; what does not fit is a usage error. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

import { type Command, type CommandOption, type Input, usageError } from './command.ts';

/** What every command takes. */
export const COMMON_OPTIONS: readonly CommandOption[] = [
  { name: 'json', doc: 'Print one JSON document on standard output and nothing else.' },
  { name: 'help', doc: 'Show this help.' },
];

/** The command that the first words name, and the words behind it. */
export function findCommand(
  commands: readonly Command[],
  words: readonly string[],
): { command: Command; rest: string[] } | undefined {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ');
    const command = commands.find((candidate) => candidate.name === name);
    if (command) return { command, rest: words.slice(name.split(' ').length) };
  }
  return undefined;
}

/** Throws a usage error that names the word that does not fit. */
export function parseInput(command: Command, words: readonly string[]): Input {
  const { values, positionals } = parseWords(command, words);
  const given: Record<string, string> = {};
  for (const [i, { name, optional }] of command.positionals.entries()) {
    const value = positionals[i];
    if (value !== undefined) given[name] = value;
    else if (!optional) throw misuse(command, `${name} is missing`);
  }
  const extra = positionals[command.positionals.length];
  if (extra !== undefined) throw misuse(command, `"${extra}" is one word too many`);
  for (const { name, value, required } of command.options) {
    if (required && values[name] === undefined) throw misuse(command, `--${name} ${value} is missing`);
  }
  return { positionals: given, options: values };
}

type Words = { values: Record<string, string | true>; positionals: string[] };

function parseWords(command: Command, words: readonly string[]): Words {
  const known = [...command.options, ...COMMON_OPTIONS];
  const options: ParseArgsOptionsConfig = {};
  for (const { name, value } of known) options[name] = { type: value === undefined ? 'boolean' : 'string' };
  // Not strict: the refusals are ours to word. The tokens tell what was typed.
  const { tokens } = parseArgs({
    args: [...words],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });

  const parsed: Words = { values: {}, positionals: [] };
  for (const token of tokens) {
    if (token.kind === 'positional') parsed.positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const option = known.find(({ name }) => name === token.name);
    if (option === undefined) throw misuse(command, `${token.rawName} is not an option of it`);
    if (option.value === undefined && token.value !== undefined) {
      throw misuse(command, `${token.rawName} takes no value`);
    }
    // An empty value is one: `--display-name ""` empties the field.
    if (option.value !== undefined && token.value === undefined) {
      throw misuse(command, `${token.rawName} needs its ${option.value}`);
    }
    if (parsed.values[token.name] !== undefined) throw misuse(command, `${token.rawName} is given twice`);
    parsed.values[token.name] = token.value ?? true;
  }
  return parsed;
}

function misuse(command: Command, what: string) {
  return usageError(`${what}. "kalends ${command.name} --help" shows what the command takes.`);
}
