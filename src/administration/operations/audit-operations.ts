/** The audit log as lists. A developer's key reads only the entries of its applications. */
import { AUDIT_ACTIONS, type AuditEntry } from '../../audit/audit-entry.ts';
import { oneOf, parsedText, text } from '../../http/fields.ts';
import { assignedClientIds, mustBeAllowed } from '../../people/permission.ts';
import { AUDIT_ENTRY } from '../documents/audit-entry.ts';
import { lists, operation, PAGE, type Page, pageSize } from './operation.ts';

const GROUP = 'Audit log';

const instant = (doc: string) =>
  parsedText(parseInstant, {
    ...{ max: 100, doc, example: '2026-11-23T09:00:00Z' },
    problem: 'must be an instant such as 2026-11-23T09:00:00Z',
  });

function parseInstant(value: string): number | undefined {
  try {
    return Temporal.Instant.from(value).epochMilliseconds;
  } catch {
    return undefined;
  }
}

const PAGE_OF_NUMBERS = {
  ...PAGE,
  after: parsedText((value) => (/^\d{1,15}$/.test(value) ? Number(value) : undefined), {
    ...{ doc: PAGE.after.doc ?? '', problem: 'must be the `next` of the previous page' },
  }),
};
const FROM = { from: instant('The time of the oldest entry.') };

/** Returns the page of the entries that were read; `subjects` are those that the actor may read. */
const toPageOfNumbers = (
  entries: readonly AuditEntry[],
  { limit, subjects = entries }: { readonly limit: number; readonly subjects?: readonly AuditEntry[] },
): Page<AuditEntry> => ({
  ...{ subjects, next: entries.length < limit ? null : String(entries.at(-1)?.number) },
});

export const listAuditEntries = operation({
  ...{ id: 'listAuditEntries', method: 'get', path: '/audit', group: GROUP },
  ...{ summary: 'List changes and their authors, newest first', permission: 'audit.read' },
  pathFields: {},
  fields: {
    ...PAGE_OF_NUMBERS,
    client_id: text({ max: 512, doc: 'The changed application, also if it was deleted since.' }),
    action: oneOf(AUDIT_ACTIONS, { doc: 'The action.', example: 'client.updated' }),
    subject: text({ max: 512, doc: 'The changed object, such as the id of an endpoint or a member.' }),
    ...{ ...FROM, to: instant('The time before which the entries were made.') },
  },
  ...{ command: 'audit list', ...lists('entries', AUDIT_ENTRY) },
  async run({ limit: size, after: before, client_id: clientId, ...filter }, { audit, actor }) {
    if (clientId !== undefined) mustBeAllowed(actor, 'application.read', clientId);
    const limit = pageSize(size);
    const selected = { ...filter, clientId: clientId ?? assignedClientIds(actor) };
    return toPageOfNumbers(await audit.listEntries(selected, { before, limit }), { limit });
  },
});

export const exportAuditEntries = operation({
  ...{ id: 'exportAuditEntries', method: 'get', path: '/audit/export', group: GROUP },
  ...{ summary: 'List all changes, oldest first', permission: 'audit.read' },
  description: 'A page can have fewer entries than `limit`; only the last one has no `next`.',
  ...{ pathFields: {}, fields: { ...PAGE_OF_NUMBERS, ...FROM }, command: 'audit export' },
  ...lists('entries', AUDIT_ENTRY),
  async run({ limit: size, after = 0, from }, { audit, actor }) {
    const limit = pageSize(size);
    const entries = await audit.entriesAfter(after, { from }, limit);
    const assigned = assignedClientIds(actor);
    const isReadable = ({ clientId = '' }: AuditEntry) => assigned?.includes(clientId) ?? true;
    return toPageOfNumbers(entries, { limit, subjects: entries.filter(isReadable) });
  },
});

export const AUDIT_OPERATIONS = [listAuditEntries, exportAuditEntries];
