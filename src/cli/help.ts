/** The help of commands, for the terminal, as JSON and as docs/cli.md: all from the commands themselves. */
import type { Command, CommandOption } from './command.ts';
import { COMMON_OPTIONS } from './parse.ts';
import { INDENT, tabulate } from './table.ts';

const WIDTH = 100;

/** `kalends client show CLIENT_ID [options]` */
export function usageOf(command: Command): string {
  const positionals = command.positionals.map(({ name, optional }) => (optional ? `[${name}]` : name));
  const options = command.options.map((option) => {
    const usage = option.required ? optionName(option) : `[${optionName(option)}]`;
    return option.repeatable ? `${usage} …` : usage;
  });
  return ['kalends', command.name, ...positionals, ...options, '[--json]'].join(' ');
}

/** The help of one command. */
export function helpOf(command: Command): string {
  const rows = [
    ...command.positionals.map(({ name, doc }) => [name, doc]),
    ...[...command.options, ...COMMON_OPTIONS].map((option) => [optionName(option), option.doc]),
  ];
  const notes = (command.notes ?? []).map((note) => `\n${wrap(note)}`);
  return [
    `${command.summary}.`,
    '',
    `Usage: ${usageOf(command)}`,
    '',
    tabulate(rows, { width: WIDTH, indent: INDENT }),
    ...notes,
  ].join('\n');
}

/** The help of the program: one line for each command. */
export function helpOfAll(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => [name, summary]);
  return [
    "Kalends connects any application to its users' calendars.",
    '',
    'Usage: kalends COMMAND [options]',
    '',
    tabulate(rows, { width: WIDTH, indent: INDENT }),
    '',
    wrap(
      'Every command takes --json, which prints one JSON document on standard output and nothing else, and --help. ' +
        'Settings are environment variables; docs/configuration.md lists them.',
    ),
  ].join('\n');
}

/** The same as a JSON document. */
export function helpDocument(command: Command): object {
  const { name, summary, positionals, options, notes = [] } = command;
  return {
    command: name,
    summary,
    usage: usageOf(command),
    positionals,
    options: [...options, ...COMMON_OPTIONS],
    notes,
  };
}

/** docs/cli.md without its opening. */
export function helpAsMarkdown(commands: readonly Command[]): string {
  return commands
    .map((command) => {
      const items = [
        ...command.positionals.map(({ name, doc }) => `- \`${name}\`: ${doc}`),
        ...command.options.map((option) => `- \`${optionName(option)}\`: ${option.doc}`),
      ];
      const parts = [`## ${command.name}`, `${command.summary}.`, `\`\`\`sh\n${usageOf(command)}\n\`\`\``];
      if (items.length > 0) parts.push(items.join('\n'));
      return [...parts, ...(command.notes ?? [])].join('\n\n');
    })
    .join('\n\n');
}

const optionName = ({ name, value }: CommandOption): string =>
  value === undefined ? `--${name}` : `--${name} ${value}`;

function wrap(text: string): string {
  return tabulate([[text]], { width: WIDTH });
}
