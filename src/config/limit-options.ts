import { type OptionTable, wholeNumber } from './option.ts';

const limit = (most: number) => ({ default: String(most), parse: wholeNumber(1, 1_000_000) });

export const LIMITS = {
  wrongSecretsPerMinute: {
    ...limit(30),
    name: 'KALENDS_LIMIT_WRONG_SECRETS',
    doc: 'Wrong client secrets a minute for one application from one address before 429. A right secret always passes.',
  },
  wrongCodesPerMinute: {
    ...limit(300),
    name: 'KALENDS_LIMIT_WRONG_CODES',
    doc: 'Wrong codes a minute for one application at `/token` before 429. A right code always passes.',
  },
  wrongCodesOfUserPerMinute: {
    ...limit(20),
    name: 'KALENDS_LIMIT_WRONG_CODES_OF_USER',
    doc: 'The same for one user of the application, whose id the code is.',
  },
  authorizePerMinute: {
    ...limit(300),
    name: 'KALENDS_LIMIT_AUTHORIZE',
    doc: 'Flows started at `/authorize`, and sign-ins begun at Google and Microsoft, a minute for one application from one address before 429.',
  },
  newUsersPerHour: {
    ...limit(300),
    name: 'KALENDS_LIMIT_NEW_USERS',
    doc: 'Users that `/authorize` makes an hour for one application from one address before 429. Users that are known always pass.',
  },
  openTransactions: {
    ...limit(20_000),
    name: 'KALENDS_LIMIT_OPEN_TRANSACTIONS',
    doc: 'Open authorization requests one application may have. Beyond it the oldest in which nothing was done make room; nobody is refused.',
  },
  passwordsPerTransaction: {
    ...limit(10),
    name: 'KALENDS_LIMIT_PASSWORDS_PER_TRANSACTION',
    doc: 'Wrong provider passwords in 10 minutes within one authorization request before 429.',
  },
  passwordsPerAddress: {
    ...limit(30),
    name: 'KALENDS_LIMIT_PASSWORDS_PER_ADDRESS',
    doc: 'Wrong provider passwords in 10 minutes from one address before 429.',
  },
  passwordsPerAccount: {
    ...limit(10),
    name: 'KALENDS_LIMIT_PASSWORDS_PER_ACCOUNT',
    doc: 'Wrong provider passwords in 10 minutes for one linked account that somebody confirms to be theirs before 429.',
  },
  connections: {
    ...limit(1000),
    name: 'KALENDS_LIMIT_CONNECTIONS',
    doc: 'Connections that are open at once. Beyond it a new one is closed at once.',
  },
  connectionsPerAddress: {
    ...limit(200),
    name: 'KALENDS_LIMIT_CONNECTIONS_PER_ADDRESS',
    doc: 'The same of one address. Trusted proxies and loopback count against the whole only.',
  },
  accountsPerGroup: {
    ...limit(20),
    name: 'KALENDS_LIMIT_ACCOUNTS_PER_GROUP',
    doc: 'Accounts that one person can link for one user.',
  },
  accountsPerUser: {
    ...limit(100),
    name: 'KALENDS_LIMIT_ACCOUNTS_PER_USER',
    doc: 'Accounts of one user in all, whoever linked them, unfinished ones included.',
  },
  endpointsPerApplication: {
    ...limit(50),
    name: 'KALENDS_LIMIT_ENDPOINTS_PER_APPLICATION',
    doc: 'Webhook endpoints of one application, without listeners. Existing ones above the limit keep working.',
  },
  calendarHomes: {
    ...limit(10),
    name: 'KALENDS_LIMIT_CALENDAR_HOMES',
    doc: 'Places with calendars (homes) that are read of one CalDAV account.',
  },
  calendarsPerAccount: {
    ...limit(500),
    name: 'KALENDS_LIMIT_CALENDARS_PER_ACCOUNT',
    doc: 'Calendars that are read of one account.',
  },
  eventsPerCalendar: {
    ...limit(100_000),
    name: 'KALENDS_LIMIT_EVENTS_PER_CALENDAR',
    doc: 'Events that are kept of one calendar.',
  },
  megabytesPerCalendar: {
    ...limit(200),
    name: 'KALENDS_LIMIT_MEGABYTES_PER_CALENDAR',
    doc: 'Megabytes that are kept of one calendar.',
  },
  megabytesPerUser: {
    ...limit(1000),
    name: 'KALENDS_LIMIT_MEGABYTES_PER_USER',
    doc: 'Megabytes that are kept of all calendars of one user.',
  },
  requestsPerForm: {
    ...limit(30),
    name: 'KALENDS_LIMIT_REQUESTS_PER_FORM',
    doc: 'Requests that are sent to calendar servers for one form on the Connect pages.',
  },
  requestLogRows: {
    ...limit(50_000),
    name: 'KALENDS_LIMIT_REQUEST_LOG_ROWS',
    doc: 'Rows that the [request log](operations.md#request-log) keeps for one application, and for all unknown callers together; the whole log keeps ten times as many. Every ten minutes the oldest rows above these limits are deleted.',
  },
} satisfies OptionTable;
