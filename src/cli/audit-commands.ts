/** `kalends audit …`: who changed what, by the command line and in the dashboard. */
import { AUDIT_ENTRY, CHANGE } from '../administration/documents/audit-entry.ts';
import { toDocument, toTable } from '../administration/documents/field.ts';
import { AUDIT_ACTIONS, type AuditEntry } from '../audit/audit-entry.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Command, type CommandOption, type Input, usageError } from './command.ts';
import { DURATION_FORM, parseDuration } from './duration.ts';
import { text } from './option-values.ts';
import { tabulate } from './table.ts';
import { terminalLine } from './terminal-text.ts';

const MOST_LISTED = 200;
const USUALLY_LISTED = 50;
/** So many entries of an export are in memory at a time. */
const EXPORTED_AT_ONCE = 1_000;

const SINCE: CommandOption = {
  name: 'since',
  value: 'TIME',
  doc: `Made in that time (${DURATION_FORM}), or since a date or instant, such as 2026-11-23 or 2026-11-23T09:00:00Z.`,
};

const list: Command = {
  name: 'audit list',
  summary: 'List what was changed and by whom, the newest first',
  positionals: [],
  options: [
    { name: 'client', value: 'CLIENT_ID', doc: 'Of one application; it may be deleted by now.' },
    { name: 'action', value: 'ACTION', doc: 'Of one kind, such as client.updated.' },
    SINCE,
    { name: 'before', value: 'NUMBER', doc: 'Behind the entry of that number: the next page.' },
    {
      name: 'limit',
      value: 'NUMBER',
      doc: `How many, from 1 to ${MOST_LISTED}; ${USUALLY_LISTED} by default.`,
    },
  ],
  notes: [
    'Users of applications are named by a hash that nobody can trace once the user is deleted. Secrets are never part of an entry.',
  ],
  async run({ options }, { withStorage, deps }) {
    const filter = {
      clientId: text(options.client),
      action: actionIn(options),
      from: sinceIn(options, deps.now()),
    };
    const before = numberIn(options, 'before', Number.MAX_SAFE_INTEGER);
    const limit = numberIn(options, 'limit', MOST_LISTED) ?? USUALLY_LISTED;
    return withStorage(async ({ audit }) => {
      const entries = await audit.listEntries(filter, { before, limit });
      const columns = ['number', 'at', 'actor', 'action', 'client_id', 'subject', 'change'];
      const table = toTable([...AUDIT_ENTRY, CHANGE], columns, entries);
      const none = 'There are no such entries.';
      return {
        json: { entries: entries.map((entry) => toDocument(AUDIT_ENTRY, entry)) },
        text: entries.length === 0 ? none : tabulate(table),
      };
    });
  },
};

const exportAll: Command = {
  name: 'audit export',
  summary: 'Write all entries to standard output, the oldest first, each as a line of JSON',
  positionals: [],
  options: [SINCE],
  run: ({ options }, { withStorage, io, deps }) => {
    const from = sinceIn(options, deps.now());
    return withStorage(async ({ audit }) => {
      for await (const entry of allEntries(audit, from))
        io.stdout.write(`${terminalLine(toDocument(AUDIT_ENTRY, entry))}\n`);
      return undefined;
    });
  },
};

export const auditCommands: readonly Command[] = [list, exportAll];

async function* allEntries(audit: AuditLog, from: number | undefined): AsyncGenerator<AuditEntry> {
  for (let after = 0; ; ) {
    const entries = await audit.entriesAfter(after, { from }, EXPORTED_AT_ONCE);
    yield* entries;
    const last = entries.at(-1);
    if (last === undefined) return;
    after = last.number;
  }
}

type Options = Input['options'];

function actionIn({ action }: Options) {
  if (action === undefined) return undefined;
  const known = AUDIT_ACTIONS.find((one) => one === action);
  if (known === undefined) throw usageError(`--action must be one of ${AUDIT_ACTIONS.join(', ')}.`);
  return known;
}

function numberIn(options: Options, name: string, most: number): number | undefined {
  const given = text(options[name]);
  if (given === undefined) return undefined;
  const number = /^\d{1,15}$/.test(given) ? Number(given) : 0;
  if (number < 1 || number > most)
    throw usageError(`--${name} must be a whole number from 1${most < 1e9 ? ` to ${most}` : ''}.`);
  return number;
}

/** Epoch milliseconds. */
function sinceIn({ since }: Options, now: number): number | undefined {
  const given = text(since);
  if (given === undefined) return undefined;
  const duration = parseDuration(given);
  if (duration !== undefined) return now - duration;
  const isDate = /^\d{4}-\d\d-\d\d$/.test(given);
  try {
    return Temporal.Instant.from(isDate ? `${given}T00:00:00Z` : given).epochMilliseconds;
  } catch {
    throw usageError(
      `--since must be a time ${DURATION_FORM}, or a date such as 2026-11-23 or 2026-11-23T09:00:00Z.`,
    );
  }
}
