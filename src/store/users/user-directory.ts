/** UserDirectory in SQL; held to test/contract/user-directory.contract.ts on both databases. */
import { byBytes } from '../../lib/compared-text.ts';
import { lowerCase } from '../../lib/lower-case.ts';
import type { FoundUser, UserDirectory, UserPlace, UserSearch } from '../../user-data/user-directory.ts';
import type { Database, Dialect } from '../drivers/database.ts';

/** Sorts after everything that can follow a prefix. */
const LAST_CHARACTER = '\u{10ffff}';
/** The smallest character that can be appended to a text. */
const FIRST_CHARACTER = '\u0001';

type Row = FoundUser & { readonly foundBy: string; readonly key: string };

const IS_THE_USERS = `EXISTS (SELECT 1 FROM account_group AS g WHERE g.group_id = a.group_id AND g.expires_at IS NULL)`;
const OF_USER = 'a.client_id = u.client_id AND a.user_id = u.user_id';
// The states of health are in the order of the alphabet, the worst last.
const COUNTS = `
  (SELECT COUNT(*) FROM account AS a WHERE ${OF_USER} AND ${IS_THE_USERS}) AS accounts,
  (SELECT COUNT(*) FROM account AS a WHERE ${OF_USER} AND a.health <> 'active' AND ${IS_THE_USERS}) AS ailing,
  (SELECT COUNT(*) FROM token_family AS f
    WHERE f.client_id = u.client_id AND f.user_id = u.user_id AND f.ended_at IS NULL) AS grants,
  (SELECT MAX(a.health) FROM account AS a WHERE ${OF_USER} AND ${IS_THE_USERS}) AS worst`;
const USER = `u.client_id, u.user_id, u.created_at, u.last_seen_at, ${COUNTS}`;

/** Returns statements for one application and for all, each with an index. SQLite cannot seek by pairs alone. */
function searchTexts({ byBytes: bytes }: Dialect) {
  const byId = (where: string, id: string) => `
    SELECT ${USER}, u.user_id AS found_by, u.client_id AS key,
           (SELECT a.display FROM account AS a WHERE ${OF_USER} AND ${IS_THE_USERS}
             ORDER BY a.linked_at, a.account_key LIMIT 1) AS address
      FROM application_user AS u
     WHERE ${where} ${id} >= :from AND ${id} < :to AND (${id}, u.client_id) > (:from, :fromKey)
     ORDER BY ${id}, u.client_id LIMIT :limit`;
  const byAddress = (where: string, address: string) => `
    SELECT ${USER}, LOWER(a.display ${bytes}) AS found_by, a.account_key AS key, a.display AS address
      FROM account AS a JOIN application_user AS u ON ${OF_USER}
     WHERE ${where} ${address} >= :from AND ${address} < :to AND (${address}, a.account_key) > (:from, :fromKey)
       AND ${IS_THE_USERS}
     ORDER BY ${address}, a.account_key LIMIT :limit`;
  return {
    id: {
      ofAll: byId('', `(u.user_id || '') ${bytes}`),
      ofOne: byId('u.client_id = :clientId AND', `u.user_id ${bytes}`),
    },
    address: {
      ofAll: byAddress('', `LOWER(a.display ${bytes}) || ''`),
      ofOne: byAddress('a.client_id = :clientId AND', `LOWER(a.display ${bytes})`),
    },
  };
}

export function userDirectory(db: Database): UserDirectory {
  const texts = searchTexts(db.dialect);

  /** Reads each application by its own index: a query over several would have to sort. */
  const read = async (by: keyof typeof texts, range: Range, clientIds: UserSearch['clientIds']) => {
    const { ofAll, ofOne } = texts[by];
    if (clientIds === undefined) return db.all<Row>(ofAll, range);
    const ids = [...new Set(clientIds)];
    const lists = await Promise.all(ids.map((clientId) => db.all<Row>(ofOne, { ...range, clientId })));
    return lists.flat().toSorted(inOrder).slice(0, range.limit);
  };

  return {
    async findUsers({ clientIds, beginning = '', isWhole = false }, { after, limit }) {
      const most = limit + 1;
      const byId =
        after?.by === 'address'
          ? []
          : await read('id', toRange({ beginning, isWhole, limit: most }, after), clientIds);
      const left = beginning === '' ? 0 : most - byId.length;
      const from = after?.by === 'address' ? after : undefined;
      const searched = { beginning: lowerCase(beginning), isWhole, limit: left };
      const byAddress = left > 0 ? await read('address', toRange(searched, from), clientIds) : [];
      const matches = [
        ...byId.map((row) => ({ row, by: 'id' as const })),
        ...byAddress.map((row) => ({ row, by: 'address' as const })),
      ];
      const page = matches.slice(0, limit);
      const last = matches.length > limit ? page.at(-1) : undefined;
      // A user who matches by both id and address appears once per page.
      const ids = new Set(page.flatMap(({ row, by }) => (by === 'id' ? [rowKey(row)] : [])));
      const users = page.filter(({ row, by }) => by === 'id' || !ids.has(rowKey(row)));
      return {
        users: users.map(({ row }) => toFoundUser(row)),
        next: last && toUserPlace(last.by, last.row),
      };
    },
  };
}

type Range = { readonly from: string; readonly fromKey: string; readonly to: string; readonly limit: number };

function toRange(
  { beginning, isWhole, limit }: { beginning: string; isWhole: boolean; limit: number },
  after: UserPlace | undefined,
): Range {
  const to = beginning + (isWhole ? FIRST_CHARACTER : LAST_CHARACTER);
  if (after === undefined) return { from: beginning, fromKey: '', to, limit };
  return after.by === 'id'
    ? { from: after.userId, fromKey: after.clientId, to, limit }
    : { from: after.address, fromKey: after.accountKey, to, limit };
}

const inOrder = (one: Row, other: Row): number =>
  byBytes(one.foundBy, other.foundBy) || byBytes(one.key, other.key);

const rowKey = ({ clientId, userId }: Row): string => `${clientId}\n${userId}`;

const toUserPlace = (by: UserPlace['by'], { foundBy, key }: Row): UserPlace =>
  by === 'id' ? { by, userId: foundBy, clientId: key } : { by, address: foundBy, accountKey: key };

const toFoundUser = ({ foundBy: _, key: __, ...user }: Row): FoundUser => user;
