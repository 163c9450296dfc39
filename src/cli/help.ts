/** The help of commands for the terminal, as JSON and as docs/cli.md. */
import type { Command, CommandOption } from './command.ts';
import { COMMON_OPTIONS } from './parse.ts';
import { INDENT, tabulate } from './table.ts';

const WIDTH = 100;

/** Returns the usage of a command, such as `kalends client show CLIENT_ID [--json]`. */
function renderUsage({ name: command, positionals = [], options = [] }: Command): string {
  const places = positionals.map(({ name, optional }) => (optional ? `[${name}]` : name));
  const usages = options.map((option) => {
    const usage = option.required ? optionName(option) : `[${optionName(option)}]`;
    return option.repeatable ? `${usage} …` : usage;
  });
  return ['kalends', command, ...places, ...usages, '[--json]'].join(' ');
}

/** Returns the help of one command. */
export function renderHelp(command: Command): string {
  const { positionals = [], options = [], notes = [] } = command;
  const rows = [
    ...positionals.map(({ name, doc }) => [name, doc]),
    ...[...options, ...COMMON_OPTIONS].map((option) => [optionName(option), option.doc]),
  ];
  const table = tabulate(rows, { width: WIDTH, indent: INDENT });
  const parts = [`${command.summary}.`, `Usage: ${renderUsage(command)}`, table, ...notes.map(wrap)];
  return parts.join('\n\n');
}

/** Returns the help of the program: one line for each command. */
export function renderProgramHelp(commands: readonly Command[]): string {
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

/** Returns the help of one command as JSON. */
export function helpDocument(command: Command): object {
  const { name, summary, positionals = [], options = [], notes = [] } = command;
  return {
    command: name,
    summary,
    usage: renderUsage(command),
    positionals,
    options: [...options, ...COMMON_OPTIONS],
    notes,
  };
}

/** Returns docs/cli.md without its introduction. */
export function helpAsMarkdown(commands: readonly Command[]): string {
  return commands
    .map((command) => {
      const { name: title, summary, positionals = [], options = [], notes = [] } = command;
      const items = [
        ...positionals.map(({ name, doc }) => `- \`${name}\`: ${doc}`),
        ...options.map((option) => `- \`${optionName(option)}\`: ${option.doc}`),
      ];
      const parts = [`## ${title}`, `${summary}.`, `\`\`\`sh\n${renderUsage(command)}\n\`\`\``];
      return [...parts, ...(items.length > 0 ? [items.join('\n')] : []), ...notes].join('\n\n');
    })
    .join('\n\n');
}

const optionName = ({ name, value }: CommandOption): string =>
  value === undefined ? `--${name}` : `--${name} ${value}`;

function wrap(text: string): string {
  return tabulate([[text]], { width: WIDTH });
}
