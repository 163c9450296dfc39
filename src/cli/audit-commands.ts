/** `kalends audit …`: the audit log of changes by the command line and in the dashboard. */
import { AUDIT_ENTRY, CHANGE } from '../administration/documents/audit-entry.ts';
import { toDocument } from '../administration/documents/field.ts';
import { AUDIT_ACTIONS, type AuditEntry } from '../audit/audit-entry.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Command, type CommandOption, type Input, usageError } from './command.ts';
import { DURATION_FORM, parseDuration } from './duration.ts';
import { text } from './option-values.ts';
import { listResult } from './page-options.ts';
import { terminalLine } from './terminal-text.ts';

const MOST_LISTED = 200;
const USUALLY_LISTED = 50;
/** The most entries that an export reads at once. */
const EXPORTED_AT_ONCE = 1_000;

const SINCE: CommandOption = {
  name: 'since',
  value: 'TIME',
  doc: `Of this period until now (${DURATION_FORM}), or since this date or instant, such as 2026-11-23 or 2026-11-23T09:00:00Z.`,
};

const list: Command = {
  name: 'audit list',
  summary: 'List changes and their authors, newest first',
  options: [
    { name: 'client', value: 'CLIENT_ID', doc: 'To this application, also if it was deleted since.' },
    { name: 'action', value: 'ACTION', doc: 'With this action, such as client.updated.' },
    SINCE,
    { name: 'before', value: 'NUMBER', doc: 'Older than the entry with this number, for the next page.' },
    {
      name: 'limit',
      value: 'NUMBER',
      doc: `The page size, from 1 to ${MOST_LISTED}; ${USUALLY_LISTED} by default.`,
    },
  ],
  notes: [
    'Entries identify users of applications by a hash that cannot be traced after the user was deleted. No entry contains a secret.',
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
      return listResult({
        name: 'entries',
        fields: AUDIT_ENTRY,
        textFields: [CHANGE],
        columns: ['number', 'at', 'actor', 'action', 'client_id', 'subject', 'change'],
        subjects: await audit.listEntries(filter, { before, limit }),
        none: 'There are no such entries.',
      });
    });
  },
};

const exportAll: Command = {
  name: 'audit export',
  summary: 'Write all entries to standard output, oldest first, as JSON Lines',
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
  const match = AUDIT_ACTIONS.find((candidate) => candidate === action);
  if (match === undefined) throw usageError(`--action must be one of ${AUDIT_ACTIONS.join(', ')}.`);
  return match;
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
