/** Text for the terminal: tables, and the help of commands, which is also JSON and docs/cli.md. */
import type { Command, CommandOption } from './command.ts';
import { allOptions } from './parse.ts';

const GAP = '  ';
const LEAST_LAST_COLUMN = 20;

/** The indent of a table within other text. */
export const INDENT = '  ';

/** Renders rows of equal length. Wraps nothing without a `width`, in characters. */
export function tabulate(
  rows: readonly (readonly string[])[],
  { width = Number.POSITIVE_INFINITY, indent = '' } = {},
): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns - 1 }, (_, i) =>
    Math.max(...rows.map((row) => (row[i] ?? '').length)),
  );
  const before = indent.length + widths.reduce((sum, column) => sum + column + GAP.length, 0);
  const lastWidth = Math.max(LEAST_LAST_COLUMN, width - before);
  return rows
    .flatMap((row) => {
      const head = widths.map((column, i) => (row[i] ?? '').padEnd(column) + GAP).join('');
      const lines = wrap(row[columns - 1] ?? '', lastWidth);
      return lines.map((line, i) => (indent + (i === 0 ? head : ' '.repeat(head.length)) + line).trimEnd());
    })
    .join('\n');
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

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
  const { positionals = [], notes = [] } = command;
  const rows = [
    ...positionals.map(({ name, doc }) => [name, doc]),
    ...allOptions(command).map((option) => [optionName(option), option.doc]),
  ];
  const table = tabulate(rows, { width: WIDTH, indent: INDENT });
  const parts = [`${command.summary}.`, `Usage: ${renderUsage(command)}`, table, ...notes.map(wrapped)];
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
    wrapped(
      'Every command takes --json, which prints one JSON document on standard output and nothing else, and --help. ' +
        'Settings are environment variables; docs/configuration.md lists them.',
    ),
  ].join('\n');
}

/** Returns the help of one command as JSON. */
export function helpDocument(command: Command): object {
  const { name, summary, positionals = [], notes = [] } = command;
  return {
    command: name,
    summary,
    usage: renderUsage(command),
    positionals,
    options: allOptions(command),
    notes,
  };
}

/** Returns docs/cli.md without its introduction. */
export function helpAsMarkdown(commands: readonly Command[]): string {
  return commands
    .map((command) => {
      const { name: title, summary, positionals = [], options = [], notes = [], renderings } = command;
      const place = renderings === undefined ? [] : ['It also runs [at a server](#at-a-server).'];
      const items = [
        ...positionals.map(({ name, doc }) => `- \`${name}\`: ${doc}`),
        ...options.map((option) => `- \`${optionName(option)}\`: ${option.doc}`),
      ];
      const parts = [`## ${title}`, `${summary}.`, `\`\`\`sh\n${renderUsage(command)}\n\`\`\``];
      return [...parts, ...(items.length > 0 ? [items.join('\n')] : []), ...notes, ...place].join('\n\n');
    })
    .join('\n\n');
}

const optionName = ({ name, value }: CommandOption): string =>
  value === undefined ? `--${name}` : `--${name} ${value}`;

const wrapped = (text: string): string => tabulate([[text]], { width: WIDTH });
