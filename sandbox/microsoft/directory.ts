/** The people in the sandbox's Microsoft, and the consent that each has given. */
import { newCalendarId } from './item-id.ts';
import type { Mailbox } from './mailbox.ts';
import type { Permission } from './permission.ts';
import { domainOf, PERSONAL_TENANT, stableUuid, tenantOf } from './tenant.ts';

export type Account = {
  readonly email: string;
  readonly name: string;
  /** The object id, which identifies the user in ID tokens and in Graph. */
  readonly oid: string;
  readonly tenant: string;
  readonly mailbox: Mailbox;
  /** The permissions that the user consented to, by client id. */
  readonly consents: Map<string, Set<Permission>>;
  /** The AADSTS code with which signing in and refreshing fail (50076, 53003, 700082); undefined if they succeed. */
  blockedBy: number | undefined;
};

/** The access to an account that an app has, or requests. */
export type Access = {
  readonly clientId: string;
  readonly account: Account;
  readonly permissions: readonly Permission[];
};

export type Directory = {
  /** The accounts by e-mail address in lower case, in the order they were added. */
  readonly accounts: Map<string, Account>;
  /** Tenants whose users cannot consent for themselves. */
  readonly adminOnly: Set<string>;
  /** `client id` + ` ` + tenant, if an administrator consented for everybody. */
  readonly adminConsents: Set<string>;
};

export const emptyDirectory = (): Directory => ({
  accounts: new Map(),
  adminOnly: new Set(),
  adminConsents: new Set(),
});

export function newAccount(email: string, name: string): Account {
  const mailbox: Mailbox = {
    email,
    timeZone: 'UTC',
    calendars: new Map(),
    deletedItems: {
      ...{ id: newCalendarId(), name: 'Deleted Items', hexColor: '', canEdit: true, isDefault: false },
      ...{ sharedBy: undefined, change: 0, events: new Map(), eventsChange: 0 },
    },
    aliases: new Set(),
    change: 0,
    onlineMeetings: true,
    responses: [],
  };
  return {
    email,
    name,
    oid: stableUuid(`user ${email.toLowerCase()}`),
    tenant: tenantOf(email),
    mailbox,
    consents: new Map(),
    blockedBy: undefined,
  };
}

/** Returns the addresses in lower case. */
export const addressesOf = ({ email, mailbox }: Account): ReadonlySet<string> =>
  new Set([email, ...mailbox.aliases].map((address) => address.toLowerCase()));

export const isPersonal = ({ tenant }: Account): boolean => tenant === PERSONAL_TENANT;

export const findAccount = ({ accounts }: Directory, email: string): Account | undefined =>
  accounts.get(email.toLowerCase());

/** Returns whether the user must wait for an administrator (AADSTS90094, 65001). */
export function needsAdmin(
  { adminOnly, adminConsents }: Directory,
  { account: { tenant }, clientId }: Pick<Access, 'account' | 'clientId'>,
): boolean {
  return adminOnly.has(tenant) && !adminConsents.has(`${clientId} ${tenant}`);
}

/** Returns the permissions that the app must still ask the user for. */
export function missingConsent(
  { adminConsents }: Directory,
  { account: { consents, tenant }, clientId, permissions }: Access,
): Permission[] {
  if (adminConsents.has(`${clientId} ${tenant}`)) return [];
  const consented = consents.get(clientId);
  return permissions.filter((permission) => consented?.has(permission) !== true);
}

export function giveConsent({ account: { consents }, clientId, permissions }: Access): void {
  consents.set(clientId, new Set([...(consents.get(clientId) ?? []), ...permissions]));
}

/** Returns the tenant's name for people. */
export const tenantNameOf = ({ email, tenant }: Account): string =>
  tenant === PERSONAL_TENANT ? 'Microsoft account' : domainOf(email);
