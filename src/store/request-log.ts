/** RequestLog in SQL; held to test/contract/request-log.contract.ts on both databases. */
import { userSubject } from '../audit/user-subject.ts';
import type { NewRequestEntry, RequestEntry } from '../request-log/request-entry.ts';
import type { RequestFilter, RequestLog, RequestPage } from '../request-log/request-log.ts';
import { subjectOfUser } from './audit/append-audit.ts';
import type { Database, Statements, Value } from './drivers/database.ts';
import { inParts } from './drivers/delete-in-parts.ts';

/** Rows in one statement. The rest are inserted one by one, so that there are few different statements. */
const ROWS_PER_INSERT = 50;
/** Each row is in eleven indexes: more at once would delay other writes. */
const ROWS_PER_DELETE = 200;

const COLUMNS = {
  requestId: 'TEXT',
  at: 'BIGINT',
  method: 'TEXT',
  route: 'TEXT',
  status: 'BIGINT',
  statusClass: 'BIGINT',
  durationMs: 'BIGINT',
  clientId: 'TEXT',
  user: 'TEXT',
  network: 'TEXT',
  body: 'TEXT',
  repeated: 'BIGINT',
  claimed: 'BIGINT',
} as const;
type Column = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Column[]; // Its keys are the literal ones above.

/** Returns the INSERT of `rows` rows. Rows of deleted applications are left out. */
function insertText(rows: number): string {
  const row = (_: unknown, index: number) =>
    `(${NAMES.map((name) => `CAST(:${name}${index} AS ${COLUMNS[name]})`).join(', ')})`;
  return `
    INSERT INTO request_log (request_id, at, method, route, status, status_class, duration_ms, client_id, user_hash,
      network, body, repeated, claimed)
    SELECT column1, column2, column3, column4, column5, column6, column7, column8, column9, column10, column11, column12,
           column13
      FROM (VALUES ${Array.from({ length: rows }, row).join(', ')}) AS entry
     WHERE column8 IS NULL OR EXISTS (SELECT 1 FROM application AS a WHERE a.client_id = column8)
    ON CONFLICT (request_id) DO NOTHING`;
}

const INSERT_MANY = insertText(ROWS_PER_INSERT);
const INSERT_ONE = insertText(1);

const LIST = `
  SELECT request_id, at, method, route, status, duration_ms, client_id, user_hash AS user, network, body, repeated,
         claimed
    FROM request_log`;
type Row = Omit<RequestEntry, 'isClaimed'> & { readonly claimed: number };
/** One condition for each filter, so that the database finds the index for it. */
const CONDITIONS = {
  requestId: 'request_id = :requestId',
  user: 'user_hash = :user',
  status: 'status = :status',
  statusClass: 'status_class = :statusClass',
  route: 'route = :route',
  from: '{at} >= :from',
  to: '{at} < :to',
} as const satisfies Readonly<Record<Exclude<keyof RequestFilter, 'clientIds' | 'isError'>, string>>;
const ERROR_CLASSES = [4, 5];
type Filter = Omit<RequestFilter, 'clientIds' | 'isError'> & { readonly clientId?: string | undefined };
const BEHIND = '{at} <= :afterAt AND (at < :afterAt OR request_id < :afterId)';
/** The time as in indexes over all applications, and as in those of one application or user. */
const [AT_OF_ALL, AT_OF_ONE] = ['(at + 0)', 'at'];

const KEY_OF_USER = `
  SELECT audit_key AS key FROM application_user WHERE client_id = :clientId AND user_id = :userId`;
const DELETE_OLD = `
  DELETE FROM request_log WHERE request_id IN (SELECT request_id FROM request_log WHERE (at + 0) < :before LIMIT :limit)`;
/** The application whose limit a row counts toward, as in request_log_by_owner. Empty: that of unknown callers. */
const OWNER = "(CASE claimed WHEN 0 THEN COALESCE(client_id, '') ELSE '' END)";
/** Counts in an index and up to a limit: the log may have been filled without limits. */
const countRows = (owner: string): string =>
  `(SELECT COUNT(*) FROM (SELECT at FROM request_log WHERE ${OWNER} = ${owner} LIMIT :limit) AS counted) AS count`;
/** SQLite compares the index of an expression with another expression, but not with a column. */
const COUNTS = `
  SELECT client_id, ${countRows("application.client_id || ''")} FROM application
   UNION ALL SELECT NULL, ${countRows("''")}`;
const DELETE_OLDEST = `
  DELETE FROM request_log WHERE request_id IN
    (SELECT request_id FROM request_log WHERE ${OWNER} = :owner ORDER BY at LIMIT :limit)`;
const [MOST_COUNTED, SHARES] = [1_000_000, 10];

type CountRow = { readonly clientId: string | undefined; count: number };

export function requestLog(db: Database): RequestLog {
  return {
    addRequests: (entries) => db.transaction((tx) => addRequests(tx, entries)),

    async listRequests({ clientIds, isError, ...filter }, page) {
      // Reads each application and class by its own index: a query over several would have to sort.
      const clients = clientIds === undefined ? [undefined] : [...new Set(clientIds)];
      const classes = isError ? ERROR_CLASSES : [filter.statusClass];
      const lists = clients.flatMap((clientId) =>
        classes.map((statusClass) => list(db, { ...filter, clientId, statusClass }, page)),
      );
      const pages = await Promise.all(lists);
      return pages.flat().toSorted(newestFirst).slice(0, page.limit);
    },

    async userOf(clientId, userId) {
      const row = await db.get<{ key: string | undefined }>(KEY_OF_USER, { clientId, userId });
      return row?.key ? userSubject(row.key, userId) : undefined;
    },

    deleteOldRequests: (before) =>
      inParts(async (limit) => db.change(DELETE_OLD, { before, limit }), ROWS_PER_DELETE),

    async deleteExcessRequests(most) {
      const inAll = SHARES * most;
      const rows = await db.all<CountRow>(COUNTS, { limit: most + MOST_COUNTED });
      for (let deleted = 0; ; ) {
        const first = rows.reduce((largest, row) => (row.count > largest.count ? row : largest));
        const excess = rows.reduce((sum, { count }) => sum + count, 0) - inAll;
        if (first.count <= most && excess <= 0) return deleted;
        // The application with the most rows loses at least its part of the excess.
        const limit = Math.min(
          ROWS_PER_DELETE,
          Math.max(first.count - most, Math.ceil(excess / rows.length)),
        );
        deleted += await db.change(DELETE_OLDEST, { owner: first.clientId ?? '', limit });
        first.count -= limit;
      }
    },
  };
}

async function addRequests(tx: Statements, entries: readonly NewRequestEntry[]): Promise<void> {
  const users = await hashUsers(tx, entries);
  const rows = entries.map(({ userId, ...entry }) => ({
    ...entry,
    statusClass: Math.floor(entry.status / 100),
    claimed: entry.isClaimed ? 1 : 0,
    user: users.get(userKey({ ...entry, userId })),
  }));
  for (let from = 0; from < rows.length; ) {
    const many = rows.length - from >= ROWS_PER_INSERT;
    const part = rows.slice(from, from + (many ? ROWS_PER_INSERT : 1));
    const values: Record<string, Value> = {};
    for (const [index, row] of part.entries())
      for (const name of NAMES) values[`${name}${index}`] = row[name] ?? null;
    await tx.change(many ? INSERT_MANY : INSERT_ONE, values);
    from += part.length;
  }
}

/** Returns a key. Neither part contains a line feed. */
const userKey = ({ clientId, userId }: Pick<NewRequestEntry, 'clientId' | 'userId'>): string =>
  `${clientId}\n${userId}`;

/** Returns the users' hashes by user key. Creates missing keys in a fixed order, which prevents deadlocks. */
async function hashUsers(
  tx: Statements,
  entries: readonly NewRequestEntry[],
): Promise<ReadonlyMap<string, string>> {
  const users = new Map<string, string>();
  const keys = new Map(entries.map((entry) => [userKey(entry), entry]));
  for (const [key, { clientId, userId }] of [...keys].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    if (clientId === undefined || userId === undefined) continue;
    const row = await tx.get<{ key: string | undefined }>(KEY_OF_USER, { clientId, userId });
    // A user who is being deleted has an empty key.
    if (row === undefined || row.key === '') continue;
    const user =
      row.key === undefined ? await subjectOfUser(tx, { clientId, userId }) : userSubject(row.key, userId);
    if (user !== undefined) users.set(key, user);
  }
  return users;
}

async function list(db: Database, filter: Filter, { after, limit }: RequestPage): Promise<RequestEntry[]> {
  const conditions: string[] = [];
  const values: Record<string, Value> = { limit };
  // A user or a request has few rows. The expression keeps the database from using the application's index instead.
  const isOfFew = filter.user !== undefined || filter.requestId !== undefined;
  if (filter.clientId !== undefined) {
    conditions.push(isOfFew ? "client_id || '' = :clientId" : 'client_id = :clientId');
    values.clientId = filter.clientId;
  }
  for (const [name, condition] of Object.entries(CONDITIONS)) {
    const value = filter[name as keyof typeof CONDITIONS];
    if (value === undefined) continue;
    conditions.push(condition);
    values[name] = value;
  }
  if (after !== undefined) {
    conditions.push(BEHIND);
    values.afterAt = after.at;
    values.afterId = after.requestId;
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const text = `${LIST} ${where} ORDER BY {at} DESC, request_id DESC LIMIT :limit`;
  const isOfAll = filter.clientId === undefined && filter.user === undefined;
  const rows = await db.all<Row>(text.replaceAll('{at}', isOfAll ? AT_OF_ALL : AT_OF_ONE), values);
  return rows.map(({ claimed, ...row }) => ({ ...row, isClaimed: claimed === 1 }));
}

const newestFirst = (one: RequestEntry, other: RequestEntry): number =>
  other.at - one.at || (one.requestId < other.requestId ? 1 : -1);
