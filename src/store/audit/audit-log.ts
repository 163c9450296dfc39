/** AuditLog in SQL; held to test/contract/audit-log.contract.ts on both databases. */
import type { AuditActor, AuditEntry } from '../../audit/audit-entry.ts';
import type { AuditFilter, AuditLog } from '../../audit/audit-log.ts';
import { userSubject } from '../../audit/user-subject.ts';
import type { Database, Dialect, Values } from '../drivers/database.ts';
import { deleteInParts } from '../drivers/delete-in-parts.ts';

type Row = Omit<AuditEntry, 'actor' | 'before' | 'after'> & {
  /** Keys are stored as `system` with an id. */
  actorKind: Exclude<AuditActor['kind'], 'admin_key'>;
  actorId: string | undefined;
  actorName: string | undefined;
  before: string | undefined;
  after: string | undefined;
};

const MOST_ENTRIES = 200;
const COLUMNS = `number, made_at AS at, actor_kind, actor_id, actor_name,
  address, action, client_id, subject, before_change AS before, after_change AS after`;

/** One text for each set of filters, so that the database finds the index for it. */
const conditionsOn = ({ oneOf }: Dialect) => ({
  clientId: 'client_id = :clientId',
  // The expression avoids the index by application, in which SQLite would read all entries of the time.
  clientsOfActor: `client_id || '' ${oneOf('clientsOfActor')}`,
  actorId: "actor_kind = 'person' AND actor_id = :actorId",
  // Actors that are not people have no id. With this condition the index has them by time.
  nobody: 'actor_kind = :nobody AND actor_id IS NULL',
  // The expression avoids the index by person, which would have to sort all entries of people.
  anybody: "actor_kind || '' = :anybody",
  key: "actor_kind = 'system' AND actor_id = :key",
  anyKey: "actor_kind || '' = :anyKey AND actor_id IS NOT NULL",
  action: 'action = :action',
  subject: 'subject = :subject',
  from: 'made_at >= :from',
  to: 'made_at < :to',
  placeAt: '(made_at, number) < (:placeAt, :placeNumber)',
});
type Filters = { readonly [name in keyof ReturnType<typeof conditionsOn>]?: Values[string] | undefined };

// If the entry was deleted, the next older one is the position and is included in the page.
const PLACE = `
  SELECT number, made_at AS at FROM audit_entry WHERE number <= :before ORDER BY number DESC LIMIT 1`;
const AFTER = `
  SELECT ${COLUMNS} FROM audit_entry WHERE number > :after AND made_at >= :from ORDER BY number LIMIT :limit`;
const KEY_OF_USER = `
  SELECT audit_key AS key FROM application_user WHERE client_id = :clientId AND user_id = :userId`;
const namesText = (ofIds: string): string => `
  SELECT person_id AS id, name, NULL AS url FROM person WHERE person_id ${ofIds}
   UNION ALL SELECT endpoint_id, NULL, url FROM webhook_endpoint WHERE endpoint_id ${ofIds}`;
const DELETE_OLD = `
  DELETE FROM audit_entry
   WHERE number IN (SELECT number FROM audit_entry WHERE made_at < :before ORDER BY made_at, number LIMIT :limit)`;

export function auditLog(db: Database): AuditLog {
  return {
    async listEntries({ clientId, actor, action, subject, from, to }, page) {
      const limit = Math.min(page.limit, MOST_ENTRIES);
      const place = page.before === undefined ? undefined : await findPosition(db, page.before);
      if (place === 'oldest') return [];
      const others = { ...actorFilter(actor), action, subject, from, to };
      const isOfActor = (others.actorId ?? others.nobody ?? others.key) !== undefined;
      const clientIds = typeof clientId === 'string' ? [clientId] : clientId && [...new Set(clientId)];
      if (clientIds?.length === 0) return [];
      // Otherwise one query for each application: an index has the newest entries of one, not of several.
      const clients: Filters[] = isOfActor
        ? [{ clientsOfActor: clientIds }]
        : (clientIds ?? [undefined]).map((one) => ({ clientId: one }));
      const lists = await Promise.all(
        clients.map((client) =>
          listEntryRows(db, { ...client, ...others, placeAt: place?.at }, { place, limit }),
        ),
      );
      return lists
        .flat()
        .sort((a, b) => b.at - a.at || b.number - a.number)
        .slice(0, limit)
        .map(toAuditEntry);
    },

    async entriesAfter(after, { from }, limit) {
      const rows = await db.all<Row>(AFTER, { after, from: from ?? Number.MIN_SAFE_INTEGER, limit });
      return rows.map(toAuditEntry);
    },

    async subjectOfUser(clientId, userId) {
      const row = await db.get<{ key: string | undefined }>(KEY_OF_USER, { clientId, userId });
      return row?.key ? userSubject(row.key, userId) : undefined;
    },

    async findNames(ids) {
      if (ids.length === 0) return new Map();
      const sql = namesText(db.dialect.oneOf('ids'));
      const rows = await db.all<{ id: string; name: string | undefined; url: string | undefined }>(sql, {
        ids,
      });
      return new Map(rows.map(({ id, name, url = '' }) => [id, name ?? URL.parse(url)?.host ?? id]));
    },

    deleteOldEntries(before) {
      return deleteInParts(db, DELETE_OLD, { before });
    },
  };
}

function actorFilter(actor: AuditFilter['actor']) {
  const kind = actor?.kind;
  const id = actor?.id;
  const isPerson = kind === 'person';
  const isKey = kind === 'admin_key';
  return {
    actorId: isPerson ? id : undefined,
    nobody: isPerson || isKey ? undefined : kind,
    anybody: isPerson && id === undefined ? kind : undefined,
    key: isKey ? id : undefined,
    anyKey: isKey && id === undefined ? 'system' : undefined,
  };
}

type Place = { readonly number: number; readonly at: number };

async function findPosition(db: Database, before: number): Promise<Place | 'oldest'> {
  const row = await db.get<Place>(PLACE, { before });
  if (row === undefined) return 'oldest';
  return row.number === before ? row : { at: row.at, number: row.number + 1 };
}

function listEntryRows(
  db: Database,
  filters: Filters,
  { place, limit }: { readonly place: Place | undefined; readonly limit: number },
): Promise<Row[]> {
  const given = Object.entries(conditionsOn(db.dialect)).flatMap(([name, condition]) => {
    const value = filters[name as keyof Filters]; // a key of the conditions
    return value === undefined ? [] : [{ name, condition, value }];
  });
  const where = given.length === 0 ? '' : `WHERE ${given.map(({ condition }) => condition).join(' AND ')}`;
  const values = Object.fromEntries(given.map(({ name, value }) => [name, value]));
  return db.all<Row>(
    `SELECT ${COLUMNS} FROM audit_entry ${where} ORDER BY made_at DESC, number DESC LIMIT :limit`,
    { ...values, ...(place !== undefined && { placeNumber: place.number }), limit },
  );
}

function toAuditEntry({ actorKind, actorId, actorName, before, after, ...entry }: Row): AuditEntry {
  // `appendAudit` wrote the stored value.
  const fields = (text: string | undefined) =>
    text === undefined ? undefined : (JSON.parse(text) as NonNullable<AuditEntry['before']>);
  return {
    ...entry,
    actor: toAuditActor({ actorKind, actorId, actorName }),
    before: fields(before),
    after: fields(after),
  };
}

function toAuditActor({
  actorKind,
  actorId,
  actorName,
}: Pick<Row, 'actorKind' | 'actorId' | 'actorName'>): AuditActor {
  const name = actorName ?? '';
  if (actorKind === 'system')
    return actorId === undefined ? { kind: 'system' } : { kind: 'admin_key', id: actorId, name };
  return actorKind === 'person' ? { kind: 'person', id: actorId ?? '', name } : { kind: actorKind, name };
}
