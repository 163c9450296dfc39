/** UserRecords in SQL; held to test/contract/user-records.contract.ts on both databases. */
import { userSubject } from '../../audit/user-subject.ts';
import type { Sealer } from '../../lib/sealing.ts';
import type { UserRecord, UserRecords } from '../../user-data/user-records.ts';
import { auditFor, subjectOfUser } from '../audit/append-audit.ts';
import type { Database, StoredRow, Value } from '../drivers/database.ts';
import { answerContext, messageContext } from '../webhooks/webhook-sealing.ts';
import { CALENDARS, RECORD_KINDS, type RecordKind } from './user-record-kinds.ts';

const PAGE_SIZE = 500;
const KEY_OF_USER = `
  SELECT audit_key AS key FROM application_user WHERE client_id = :clientId AND user_id = :userId`;

export function userRecords(db: Database, sealer: Sealer): UserRecords {
  const kinds = new Map(RECORD_KINDS.map((kind) => [kind.name, kind]));
  return {
    kinds: [...kinds.keys()],

    beginExport(clientId, userId, by) {
      return db.transaction(async (tx) => {
        const subject = await subjectOfUser(tx, { clientId, userId });
        if (subject === undefined) return false;
        await auditFor(tx, by, { action: 'user.exported', clientId, subject });
        return true;
      });
    },

    async *pagesOf(name, clientId, userId) {
      const kind = kinds.get(name);
      if (kind === undefined) throw new Error(`There are no records of the kind ${name}`);
      const row = await db.get<{ key: string | undefined }>(KEY_OF_USER, { clientId, userId });
      const subject = row?.key ? userSubject(row.key, userId) : null;
      if (!kind.byCalendar) {
        yield* pages(db, sealer, { kind, values: toExportValues(kind, { clientId, userId, subject }) });
        return;
      }
      const calendars = await db.all<{ calendarKey: string }>(CALENDARS, { clientId, userId });
      for (const { calendarKey } of calendars)
        yield* pages(db, sealer, { kind, values: toExportValues(kind, { calendarKey }) });
    },
  };
}

/** Returns the values that the statement names: a driver refuses others. */
const toExportValues = ({ rows }: RecordKind, values: StoredRow): StoredRow =>
  Object.fromEntries(Object.entries(values).filter(([name]) => new RegExp(`:${name}\\b`).test(rows)));

async function* pages(
  db: Database,
  sealer: Sealer,
  { kind, values }: { readonly kind: RecordKind; readonly values: StoredRow },
): AsyncGenerator<UserRecord[]> {
  const { first, next } = pageTexts(kind);
  const limit = kind.pageSize ?? PAGE_SIZE;
  for (let after: StoredRow | undefined; ; ) {
    const rows = await db.storedRows(after === undefined ? first : next, { ...values, ...after, limit });
    yield rows.map((row) => toUserRecord(row, kind, sealer));
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    after = Object.fromEntries(kind.key.map((_, i) => [`after${i}`, last[`key${i}`] ?? null]));
  }
}

function pageTexts({ table, rows, key, columns }: RecordKind): { first: string; next: string } {
  const selected = [columns, ...key.map((name, i) => `${name} AS key${i}`)].join(', ');
  const behind = `AND (${key.join(', ')}) > (${key.map((_, i) => `:after${i}`).join(', ')})`;
  const text = (place: string) =>
    `SELECT ${selected} FROM ${table} WHERE ${rows} ${place} ORDER BY ${key.join(', ')} LIMIT :limit`;
  return { first: text(''), next: text(behind) };
}

function toUserRecord(row: StoredRow, kind: RecordKind, sealer: Sealer): UserRecord {
  const { key, json = [], flags = [], sealed } = kind;
  const record: Record<string, unknown> = {};
  for (const [name, stored] of Object.entries(row)) {
    if (/^key\d$/.test(name) && Number(name.slice(3)) < key.length) continue;
    const value = name === sealed && stored !== null ? openSealed(row, sealed, sealer) : stored;
    if (flags.includes(name)) record[name] = value === null ? null : value === 1;
    else if (json.includes(name)) record[name] = parsed(value);
    else record[name] = isInstant(name) && typeof value === 'number' ? renderInstant(value) : value;
  }
  return record;
}

function openSealed(row: StoredRow, sealed: 'body' | 'answer', sealer: Sealer): string {
  const messageId = String(row.message_id);
  const context = sealed === 'body' ? messageContext(messageId) : answerContext(messageId);
  return sealer.open(String(row[sealed]), context);
}

const isInstant = (name: string): boolean =>
  name === 'at' || name === 'trusted_from' || /_(at|since|until)$/.test(name);

/** 0 means never. */
function renderInstant(value: number): string | null {
  const date = new Date(value);
  return value === 0 || Number.isNaN(date.valueOf()) ? null : date.toISOString();
}

/** Returns null if a provider's object was too long to be stored, and the text itself if it is not JSON. */
function parsed(value: Value): unknown {
  if (typeof value !== 'string') return value;
  if (value === '') return null;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
