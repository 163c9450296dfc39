/** The accounts on the server and their passwords. */
import { randomBytes, randomInt } from 'node:crypto';

import type { Person } from '../core/provider-sandbox.ts';
import { basicCredentials } from '../core/request-credentials.ts';
import type { SandboxRequest } from '../core/sandbox-server.ts';
import { CalendarCollection, type CollectionState } from './collection.ts';

export type Account = {
  readonly person: Person;
  /** The segment of its paths: the sign-in name, or a number if the server numbers people (iCloud's DSID). */
  readonly id: string;
  password: string;
  /** Further addresses of the person, besides the sign-in name. */
  readonly aliases: string[];
  /** By name. */
  readonly calendars: Map<string, CalendarCollection>;
  /** The messages that the server received for the person (RFC 6638 §2.2), if it schedules. */
  readonly inbox: CalendarCollection;
  /** Draws the tag of a calendar after a change, if the tag is not exact. */
  readonly newTag: (() => string) | undefined;
};

/** An account as structured data. */
export type AccountState = Pick<Account, 'person' | 'id' | 'password' | 'aliases'> & {
  readonly calendars: readonly CollectionState[];
  readonly inbox: CollectionState;
};

export const toAccountState = ({
  person,
  id,
  password,
  aliases,
  calendars,
  inbox,
}: Account): AccountState => ({
  ...{ person, id, password, aliases },
  calendars: [...calendars.values()].map((calendar) => calendar.state()),
  inbox: inbox.state(),
});

/** Returns an account of a server with exact tags. */
const accountOf = ({ calendars, inbox, ...rest }: AccountState): Account => ({
  ...rest,
  newTag: undefined,
  calendars: new Map(calendars.map((calendar) => [calendar.name, CalendarCollection.of(calendar)])),
  inbox: CalendarCollection.of(inbox),
});

export type AccountsOptions = {
  /** The `newTag` of every account. */
  readonly newTag?: (() => string) | undefined;
  /** The accounts that exist from the start. */
  readonly accounts?: readonly AccountState[] | undefined;
};

export interface Accounts {
  add(person: Person): Account;
  /** Throws an Error if there is no such person. */
  of(email: string): Account;
  byId(id: string): Account | undefined;
  all(): readonly Account[];
  /** The account that HTTP Basic (RFC 7617) proves; `undefined` for a wrong or missing password. */
  signedIn(request: Pick<SandboxRequest, 'headers'>): Account | undefined;
  /** Replaces the password, which then no longer works, and returns the new one. */
  renewPassword(email: string): string;
}

export function calendarAccounts(
  kind: 'icloud' | 'caldav',
  { newTag, accounts = [] }: AccountsOptions = {},
): Accounts {
  const before = accounts.map(accountOf);
  const byEmail = new Map(before.map((account) => [keyOf(account.person.email), account]));
  const byId = new Map(before.map((account) => [account.id, account]));
  // Apple shows app-specific passwords in groups; without hyphens, or with blanks, they are the same. Kalends removes
  // these before it calls Apple's own server; here they arrive as the user typed them.
  const plain = (password: string) => (kind === 'icloud' ? password.replace(/[-\s]/g, '') : password);
  const newPassword = kind === 'icloud' ? appSpecificPassword : () => randomBytes(9).toString('base64url');
  const requireAccount = (email: string): Account => {
    const account = byEmail.get(keyOf(email));
    if (account === undefined) throw new Error(`${email} has no account here`);
    return account;
  };
  return {
    of: requireAccount,
    byId: (id) => byId.get(id),
    all: () => [...byId.values()],
    add(person) {
      if (byEmail.has(keyOf(person.email))) throw new Error(`${person.email} has an account already`);
      const id = kind === 'icloud' ? String(randomInt(1_000_000_000, 9_999_999_999)) : person.email;
      const account: Account = {
        person,
        id,
        password: person.password ?? newPassword(),
        aliases: [],
        calendars: new Map(),
        newTag,
        inbox: new CalendarCollection({
          name: 'inbox',
          components: ['VEVENT'],
          readOnly: false,
          properties: new Map(),
        }),
      };
      byEmail.set(keyOf(person.email), account);
      byId.set(id, account);
      return account;
    },
    signedIn(request) {
      const { name = '', password } = basicCredentials(request) ?? {};
      const account = byEmail.get(keyOf(name));
      if (account === undefined || password === undefined) return undefined;
      return plain(password) === plain(account.password) ? account : undefined;
    },
    renewPassword(email) {
      const account = requireAccount(email);
      account.password = newPassword();
      return account.password;
    },
  };
}

const keyOf = (email: string): string => email.trim().toLowerCase();

/** Four groups of four letters, as Apple shows them. */
function appSpecificPassword(): string {
  const group = () => Array.from({ length: 4 }, () => String.fromCharCode(97 + randomInt(26))).join('');
  return Array.from({ length: 4 }, group).join('-');
}
