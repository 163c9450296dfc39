/** Delegated permissions of Graph, as far as calendars need them. */
import { aadsts } from './aadsts.ts';

/** Each with its text on the consent page. No source confirms the wordings. */
const PERMISSIONS = {
  openid: 'Sign you in',
  profile: 'View your basic profile',
  email: 'View your email address',
  offline_access: 'Maintain access to data you have given it access to',
  'User.Read': 'Read your profile',
  'Calendars.ReadBasic': 'Read your calendars, without the text of events',
  'Calendars.Read': 'Read your calendars',
  'Calendars.Read.Shared': 'Read calendars you can access',
  'Calendars.ReadWrite': 'Have full access to your calendars',
  'Calendars.ReadWrite.Shared': 'Read and write to your and shared calendars',
  'MailboxSettings.Read': 'Read your mailbox settings',
} as const;

export type Permission = keyof typeof PERMISSIONS;

export const describePermission = (permission: Permission): string => PERMISSIONS[permission];

const RESOURCE = 'https://graph.microsoft.com/';

/** The permissions a `scope` parameter names, without regard to case. Throws invalid_scope. */
export function readScope(scope: string | null): Permission[] {
  const names = (scope ?? '').split(/\s+/).filter((name) => name !== '');
  if (names.length === 0) throw aadsts(70011);
  return [...new Set(names.map(permissionOf))];
}

function permissionOf(name: string): Permission {
  const bare = (name.startsWith(RESOURCE) ? name.slice(RESOURCE.length) : name).toLowerCase();
  // Object.keys of a constant has its keys.
  const permission = (Object.keys(PERMISSIONS) as Permission[]).find((one) => one.toLowerCase() === bare);
  if (permission === undefined) throw aadsts(70011);
  return permission;
}

/** Without `offline_access`, which no source confirms. */
export const scopeText = (permissions: readonly Permission[]): string =>
  permissions.filter((permission) => permission !== 'offline_access').join(' ');

const READS: readonly Permission[] = [
  'Calendars.Read',
  'Calendars.Read.Shared',
  'Calendars.ReadWrite',
  'Calendars.ReadWrite.Shared',
];
const WRITES: readonly Permission[] = ['Calendars.ReadWrite', 'Calendars.ReadWrite.Shared'];
const SHARED: readonly Permission[] = ['Calendars.Read.Shared', 'Calendars.ReadWrite.Shared'];

/** Personal accounts are granted none of these (RogerSelwyn/MS365-Calendar#72), and signed in all the same. */
export const withoutShared = (permissions: readonly Permission[]): Permission[] =>
  permissions.filter((permission) => !SHARED.includes(permission));

const has = (granted: readonly Permission[], some: readonly Permission[]): boolean =>
  granted.some((permission) => some.includes(permission));

export const mayRead = (granted: readonly Permission[]): boolean => has(granted, READS);
export const mayReadBasic = (granted: readonly Permission[]): boolean =>
  mayRead(granted) || granted.includes('Calendars.ReadBasic');
export const mayWrite = (granted: readonly Permission[]): boolean => has(granted, WRITES);
export const maySeeShared = (granted: readonly Permission[]): boolean => has(granted, SHARED);
