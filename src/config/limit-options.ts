import { type OptionTable, wholeNumber } from './option.ts';

const limit = (most: number) => ({ default: String(most), parse: wholeNumber(1, 1_000_000) });

export const LIMITS = {
  wrongSecretsPerMinute: {
    ...limit(30),
    name: 'KALENDS_LIMIT_WRONG_SECRETS',
    doc: 'Wrong client secrets per minute for one application from one address before 429. A correct secret is never limited.',
  },
  wrongCodesPerMinute: {
    ...limit(300),
    name: 'KALENDS_LIMIT_WRONG_CODES',
    doc: 'Wrong codes per minute for one application at `/token` before 429. A correct code is never limited.',
  },
  wrongCodesOfUserPerMinute: {
    ...limit(20),
    name: 'KALENDS_LIMIT_WRONG_CODES_OF_USER',
    doc: 'Wrong codes per minute for one user of the application, if the code contains the user’s id.',
  },
  authorizePerMinute: {
    ...limit(300),
    name: 'KALENDS_LIMIT_AUTHORIZE',
    doc: 'Flows started at `/authorize` and sign-ins started at Google and Microsoft, per minute, for one application from one address before 429.',
  },
  newUsersPerHour: {
    ...limit(300),
    name: 'KALENDS_LIMIT_NEW_USERS',
    doc: 'Users that `/authorize` creates per hour for one application from one address before 429. Existing users are not limited.',
  },
  openTransactions: {
    ...limit(20_000),
    name: 'KALENDS_LIMIT_OPEN_TRANSACTIONS',
    doc: 'Open authorization requests of one application. Above the limit, the oldest unused ones are deleted; new ones are not refused.',
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
    doc: 'Wrong provider passwords in 10 minutes for one linked account whose ownership is being confirmed before 429.',
  },
  connections: {
    ...limit(1000),
    name: 'KALENDS_LIMIT_CONNECTIONS',
    doc: 'Connections that are open at once. Above the limit, new connections are closed immediately.',
  },
  connectionsPerAddress: {
    ...limit(200),
    name: 'KALENDS_LIMIT_CONNECTIONS_PER_ADDRESS',
    doc: 'Connections from one address that are open at once. Connections from trusted proxies and loopback count only toward the total.',
  },
  accountsPerGroup: {
    ...limit(20),
    name: 'KALENDS_LIMIT_ACCOUNTS_PER_GROUP',
    doc: 'Accounts that one person can connect for one user.',
  },
  accountsPerUser: {
    ...limit(100),
    name: 'KALENDS_LIMIT_ACCOUNTS_PER_USER',
    doc: 'Accounts of one user in total, whoever connected them, including unfinished ones.',
  },
  endpointsPerApplication: {
    ...limit(50),
    name: 'KALENDS_LIMIT_ENDPOINTS_PER_APPLICATION',
    doc: 'Webhook endpoints of one application, not counting listeners. Existing endpoints above the limit keep working.',
  },
  calendarHomes: {
    ...limit(10),
    name: 'KALENDS_LIMIT_CALENDAR_HOMES',
    doc: 'Calendar homes (RFC 4791) that are read in one CalDAV account.',
  },
  calendarsPerAccount: {
    ...limit(500),
    name: 'KALENDS_LIMIT_CALENDARS_PER_ACCOUNT',
    doc: 'Calendars that are read in one account.',
  },
  eventsPerCalendar: {
    ...limit(100_000),
    name: 'KALENDS_LIMIT_EVENTS_PER_CALENDAR',
    doc: 'Events that are stored for one calendar.',
  },
  megabytesPerCalendar: {
    ...limit(200),
    name: 'KALENDS_LIMIT_MEGABYTES_PER_CALENDAR',
    doc: 'Megabytes that are stored for one calendar.',
  },
  megabytesPerUser: {
    ...limit(1000),
    name: 'KALENDS_LIMIT_MEGABYTES_PER_USER',
    doc: 'Megabytes that are stored for all calendars of one user.',
  },
  requestsPerForm: {
    ...limit(30),
    name: 'KALENDS_LIMIT_REQUESTS_PER_FORM',
    doc: 'Requests to calendar servers for one form on the Connect pages.',
  },
  requestLogRows: {
    ...limit(50_000),
    name: 'KALENDS_LIMIT_REQUEST_LOG_ROWS',
    doc: 'Rows in the [request log](operations.md#request-log) for one application, and for all unknown callers together. The total limit is ten times as high. Every ten minutes the oldest rows above these limits are deleted.',
  },
} satisfies OptionTable;
