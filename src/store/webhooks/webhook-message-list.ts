/**
 * Lists messages, the newest first. Each set of filters is read in the order of one index, so that a page costs the
 * same however many messages follow. Held to test/contract/webhook-message-log.contract.ts.
 */
import type { LoggedMessage, MessageFilter, MessagePage } from '../../webhooks/message-log.ts';
import type { Database, Value } from '../drivers/database.ts';

export type MessageRow = Omit<LoggedMessage, 'nextAt'> & { nextAt: number };

/** The columns of a message `m`. */
export const MESSAGE_COLUMNS = `message_id, client_id, endpoint_id,
  user_id, provider, calendar_id, sequence, change_type, event_count, state, reason, attempts, next_at, created_at,
  settled_at, (SELECT c.title FROM calendar c WHERE c.calendar_key = m.calendar_key) AS calendar_title`;

const STATES = ['pending', 'delivered', 'dead', 'withheld'] as const;

type FilterPart = Omit<MessageFilter, 'clientId'> & { readonly clientId?: string | undefined };

const COLUMNS = {
  clientId: 'client_id',
  userId: 'user_id',
  calendarId: 'calendar_id',
  endpointId: 'endpoint_id',
  state: 'state',
  provider: 'provider',
} as const satisfies Partial<Record<keyof MessageFilter, string>>;
type Column = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Column[]; // Its keys are the literal ones above.

const OF_ANY_STATE = `state IN (${STATES.map((state) => `'${state}'`).join(', ')})`;
const CLIENT_OF_ENDPOINT = `
  SELECT client_id FROM webhook_endpoint WHERE endpoint_id = :endpointId`;

export async function listMessages(
  db: Database,
  filter: MessageFilter,
  page: MessagePage,
): Promise<LoggedMessage[]> {
  const [first, ...others] = await planParts(db, filter);
  if (first === undefined) return [];
  if (others.length === 0)
    return (await listPart<MessageRow>(db, first, { page, columns: ALL_COLUMNS })).map(toLoggedMessage);
  const parts = [first, ...others];
  // The indexes have the order. Rows, which are scattered on the disk, are read only for listed messages.
  const places = await Promise.all(
    parts.map((part) => listPart<MessagePlace>(db, part, { page, columns: PLACE })),
  );
  const messageIds = places
    .flat()
    .toSorted(newestFirst)
    .slice(0, page.limit)
    .map(({ messageId }) => messageId);
  if (messageIds.length === 0) return [];
  const sql = `SELECT ${MESSAGE_COLUMNS} FROM webhook_message m WHERE message_id ${db.dialect.oneOf('messageIds')}`;
  return (await db.all<MessageRow>(sql, { messageIds })).map(toLoggedMessage).toSorted(newestFirst);
}

/** Splits a filter into parts that are each read by an index: a query over several would have to sort. */
async function planParts(db: Database, { clientId, ...filter }: MessageFilter): Promise<FilterPart[]> {
  const clientIds = typeof clientId === 'string' ? [clientId] : clientId && [...new Set(clientId)];
  const { endpointId = '' } = filter;
  if (chooseIndex(filter) === 'endpoint') {
    const owner = await db.get<{ clientId: string }>(CLIENT_OF_ENDPOINT, { endpointId });
    if (owner === undefined || clientIds?.includes(owner.clientId) === false) return [];
    return ofEachState([filter]);
  }
  return ofEachState(clientIds?.map((one) => ({ ...filter, clientId: one })) ?? [filter]);
}

const ofEachState = (parts: readonly FilterPart[]): FilterPart[] =>
  parts.flatMap((part) =>
    part.state !== undefined || !INDEXED[chooseIndex(part)].includes('state')
      ? [part]
      : STATES.map((state) => ({ ...part, state })),
  );

type Index = 'user' | 'calendar' | 'endpoint' | 'retrying' | 'state';

/** The columns that each index begins with. Of the partial ones for retries, that of all applications has none. */
const INDEXED: Readonly<Record<Index, readonly Column[]>> = {
  user: ['clientId', 'userId'],
  calendar: ['clientId', 'calendarId'],
  endpoint: ['endpointId', 'state'],
  retrying: ['clientId'],
  state: ['clientId', 'state'],
};

function chooseIndex({ userId, calendarId, endpointId, state }: FilterPart): Index {
  if (userId !== undefined) return 'user';
  if (calendarId !== undefined) return 'calendar';
  if (endpointId !== undefined) return 'endpoint';
  return state === 'retrying' ? 'retrying' : 'state';
}

/** As the partial indexes have it. */
const RETRYING = `state || '' = 'pending' AND attempts > 0`;

/** Returns the conditions of a statement, such that the most selective index is used. `at` is the time of a message. */
export function buildConditions(filter: FilterPart) {
  const index = chooseIndex(filter);
  const indexed = INDEXED[index];
  const isRetrying = filter.state === 'retrying';
  const part: FilterPart = isRetrying
    ? { ...filter, state: index === 'retrying' ? undefined : 'pending' }
    : filter;
  const values: Record<string, Value> = {};
  const conditions: string[] = [];
  if (isRetrying) conditions.push(index === 'retrying' ? RETRYING : 'attempts + 0 > 0');
  for (const name of NAMES) {
    const value = part[name];
    if (value === undefined) continue;
    // Keeps the database from using another index for these.
    conditions.push(`${COLUMNS[name]}${indexed.includes(name) ? '' : " || ''"} = :${name}`);
    values[name] = value;
  }
  if (part.state === undefined && indexed.includes('state')) conditions.push(OF_ANY_STATE);
  const isOfAll = part.clientId === undefined && !indexed.includes('endpointId');
  const at = isOfAll ? '(created_at + 0)' : 'created_at';
  for (const [name, operator] of [
    ['from', '>='],
    ['to', '<'],
  ] as const) {
    const value = part[name];
    if (value === undefined) continue;
    conditions.push(`${at} ${operator} :${name}`);
    values[name] = value;
  }
  return { text: conditions.join(' AND '), values, at };
}

/** The columns of a list. `at` is the time of a message. */
const ALL_COLUMNS = () => MESSAGE_COLUMNS;
const PLACE = (at: string) => `message_id, ${at} AS created_at`;

type MessagePlace = Pick<LoggedMessage, 'messageId' | 'createdAt'>;

async function listPart<Row>(
  db: Database,
  part: FilterPart,
  { page, columns }: { readonly page: MessagePage; readonly columns: (at: string) => string },
): Promise<Row[]> {
  const { after, limit } = page;
  const { text, values, at } = buildConditions(part);
  const behind = `AND ${at} <= :createdAt AND (${at} < :createdAt OR message_id < :messageId)`;
  return db.all<Row>(
    `SELECT ${columns(at)} FROM webhook_message m WHERE ${text} ${after === undefined ? '' : behind}
      ORDER BY ${at} DESC, message_id DESC LIMIT :limit`,
    { ...values, limit, ...(after && { createdAt: after.createdAt, messageId: after.messageId }) },
  );
}

const newestFirst = (one: MessagePlace, other: MessagePlace): number =>
  other.createdAt - one.createdAt || (one.messageId < other.messageId ? 1 : -1);

export const toLoggedMessage = (row: MessageRow): LoggedMessage => ({
  ...row,
  nextAt: row.state === 'pending' ? row.nextAt : undefined,
});
