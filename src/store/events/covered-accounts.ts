/** Reads the accounts that a grant covers, with their calendars. Every read of events begins with it. */
import { aliasAmong, mainCalendar } from '../../calendars/main-calendar.ts';
import { type LeftOutEvents, LONGEST_ORIGINAL } from '../../calendars/mirrored-event.ts';
import { PROVIDER_FACTS, type ProviderKind } from '../../calendars/provider-facts.ts';
import type { RenderedObject } from '../../lib/rendered-json.ts';
import type { Scope } from '../../oauth/scope.ts';
import type { EventReader, MirroredAccount, ReadableCalendar } from '../../reading/event-reader.ts';
import { HEALTH_COLUMNS, type HealthRow, providerOrder, toAccountHealth } from '../accounts/account-rows.ts';
import type { Database } from '../drivers/database.ts';
import { CALENDAR_COLUMNS, type CalendarRow, toFreshness } from '../mirror/mirror-store.ts';

type AccountRow = HealthRow & {
  accountKey: string;
  identity: string | undefined;
  scope: Scope;
  provider: ProviderKind;
  accountId: string;
  display: string;
  /** JSON of a list. */
  addresses: string;
  calendarPermission: number | undefined;
  listedAt: number | undefined;
  listFailedAt: number | undefined;
  listFailure: string | undefined;
};
/** The calendar's columns are null for an account without calendars. */
type Row = AccountRow &
  Omit<CalendarRow, 'calendarKey' | 'original'> & {
    calendarKey: string | undefined;
    revision: number;
    leftOut: number;
  };

export function coveredAccounts(db: Database): Pick<EventReader, 'accountsOf' | 'calendarOriginals'> {
  const originals = `SELECT calendar_key, ${originalColumn('original', '1')} FROM calendar
    WHERE calendar_key ${db.dialect.oneOf('keys')}`;

  return {
    async accountsOf({ clientId, userId, scope, coverageId }) {
      const reader = { clientId, userId, scope };
      const rows =
        coverageId === undefined
          ? db.all<Row>(ACCOUNTS_OF_ALL_GRANTS, reader)
          : db.all<Row>(ACCOUNTS_OF_GRANT, { ...reader, coverageId });
      return toMirroredAccounts(await rows);
    },

    async calendarOriginals(keys) {
      const rows = await db.all<{ calendarKey: string; original: RenderedObject | undefined }>(originals, {
        keys,
      });
      return new Map(
        rows.flatMap(({ calendarKey, original }) =>
          original === undefined ? [] : [[calendarKey, original]],
        ),
      );
    },
  };
}

/** The columns of every read, without the provider's own objects: they are large, and only one response shows them. */
const COLUMNS = CALENDAR_COLUMNS.replace(' original,', '');

const accountsText = (covered: string, scope: string): string => `
  SELECT a.account_key, identity, ${scope} AS scope, provider, account_id, display, addresses,
         ${HEALTH_COLUMNS}, calendar_permission, listed_at,
         list_failed_at, list_error AS list_failure, ${COLUMNS}, revision, left_out
    FROM ${covered} JOIN account_group g ON g.group_id = v.group_id AND g.expires_at IS NULL
    JOIN account a ON a.group_id = v.group_id AND a.client_id = :clientId AND a.user_id = :userId
    LEFT JOIN calendar c ON c.account_key = a.account_key
   ORDER BY ${providerOrder('a.provider')}, a.linked_at, a.account_key, c.position, c.href`;

/** The narrower scope: that of the grant, or that with which it covers the group. */
const NARROWER_SCOPE = `CASE WHEN CAST(:scope AS TEXT) = 'free-busy' OR v.scope = 'free-busy' THEN 'free-busy'
              WHEN CAST(:scope AS TEXT) = 'read' OR v.scope = 'read' THEN 'read' ELSE 'read-write' END`;
const ACCOUNTS_OF_GRANT = accountsText(
  '(SELECT group_id, scope FROM grant_coverage WHERE coverage_id = :coverageId) v',
  NARROWER_SCOPE,
);
const ACCOUNTS_OF_ALL_GRANTS = accountsText(
  `(SELECT DISTINCT o.group_id FROM token_family f JOIN grant_coverage o ON o.coverage_id = f.coverage_id
     WHERE f.client_id = :clientId AND f.user_id = :userId AND f.ended_at IS NULL) v`,
  'CAST(:scope AS TEXT)',
);

function toMirroredAccounts(rows: readonly Row[]): MirroredAccount[] {
  const byAccount = Map.groupBy(rows, ({ accountKey }) => accountKey);
  const accounts = [...byAccount.values()];
  const firsts = accounts.flatMap((ofAccount) => ofAccount.slice(0, 1));
  return accounts.flatMap((ofAccount) =>
    ofAccount
      .slice(0, 1)
      .filter((row) => isBestOfTwins(row, firsts))
      .map((row) => toMirroredAccount(row, ofAccount)),
  );
}

/** Prefers the widest scope if several covered groups have the same account, then one that works, then the oldest. */
function isBestOfTwins(row: Row, accounts: readonly Row[]): boolean {
  if (row.identity === undefined) return true;
  const twins = accounts.filter(
    ({ provider, identity }) => provider === row.provider && identity === row.identity,
  );
  // Scopes sort by what they allow, the narrowest first.
  const rank = ({ scope, health }: Row) => `${scope.padEnd(10)} ${health === 'reauth_required' ? 0 : 1}`;
  return twins.reduce((best, twin) => (rank(twin) > rank(best) ? twin : best)) === row;
}

const toMirroredAccount = (row: AccountRow, ofAccount: readonly Row[]): MirroredAccount => ({
  accountKey: row.accountKey,
  scope: row.scope,
  provider: row.provider,
  accountId: row.accountId,
  display: row.display,
  addresses: JSON.parse(row.addresses),
  health: toAccountHealth(row),
  calendarPermission: row.calendarPermission === undefined ? undefined : row.calendarPermission === 1,
  ...toFreshness({ syncedAt: row.listedAt, failedAt: row.listFailedAt, failure: row.listFailure }),
  calendars: toReadable(ofAccount, row.provider),
});

/** Returns the calendars that are not left out. An account has one main calendar; if left out, none replaces it. */
function toReadable(rows: readonly Row[], provider: ProviderKind): ReadableCalendar[] {
  const calendars = rows.flatMap(parseCalendarRow);
  const main = mainCalendar(calendars, PROVIDER_FACTS[provider]);
  const alias = aliasAmong(calendars);
  const leftOut = new Set(rows.filter((row) => row.leftOut === 1).map(({ calendarKey }) => calendarKey));
  const visible = calendars.filter(({ calendarKey }) => !leftOut.has(calendarKey));
  return visible.map((calendar) => {
    if (calendar === main) return { ...calendar, primary: true, alias };
    return calendar.primary ? { ...calendar, primary: false } : calendar;
  });
}

function parseCalendarRow(row: Row): ReadableCalendar[] {
  const { calendarKey, href, title, description, color, timeZone, access, revision, bytes } = row;
  if (calendarKey === undefined) return [];
  const details = { href, title, description, color };
  const rest = { timeZone, access, primary: row.isPrimary === 1, alias: undefined, revision, bytes };
  // Written by mirror-writes.ts in this shape.
  const parsed = (json: string | undefined): LeftOutEvents | undefined =>
    json === undefined ? undefined : JSON.parse(json);
  const leftOut = { tooComplex: parsed(row.tooComplex), unreadable: parsed(row.unreadable) };
  return [{ calendarKey, ...details, ...rest, ...leftOut, ...toFreshness(row) }];
}

/** Returns the column as `original`: null if it is too long, which is then not read, or if `asked` is 0. */
export const originalColumn = (column: string, asked: string): string =>
  `CASE WHEN ${asked} = 1 AND octet_length(${column}) BETWEEN 1 AND ${LONGEST_ORIGINAL} THEN ${column} END AS original`;

/** Returns the number of bytes that the column takes in a response. */
export const originalSize = (column: string): string =>
  `CASE WHEN octet_length(${column}) <= ${LONGEST_ORIGINAL} THEN octet_length(${column}) ELSE 0 END`;

/** Returns 1 if a row of the mirror has an object of its own, even one that is not shown. */
export const hasOriginal = (alias = ''): string =>
  `CASE WHEN ${alias}original IS NULL AND ${alias}original_digest IS NULL THEN 0 ELSE 1 END`;

/** Selects as originalColumn with `:originals` does. A row without an object of its own has an empty object. */
export const originalOrEmpty = (alias = ''): string =>
  `CASE WHEN ${alias}original IS NULL AND ${alias}original_digest IS NULL THEN '{}'
        WHEN :originals = 1 AND octet_length(${alias}original) <= ${LONGEST_ORIGINAL} THEN ${alias}original
    END AS original`;
