/** The permissions of each role. Routes, domain functions and pages use this one table. */

import { PeopleRefusal } from './people-refusal.ts';
import type { Actor, Role } from './person.ts';

/** The roles with a permission. `ofApplication`: developers have it only for their assigned applications. */
type Rule = { readonly roles: readonly Role[]; readonly ofApplication?: true };

const ALL: readonly Role[] = ['owner', 'developer', 'viewer'];
const OWNER: readonly Role[] = ['owner'];
const BUILDERS: readonly Role[] = ['owner', 'developer'];

export const PERMISSIONS = {
  /** The member's own sessions, password and passkeys. */
  'own.manage': { roles: ALL },
  'overview.read': { roles: ALL },
  'people.manage': { roles: OWNER },
  'system.read': { roles: OWNER },
  'system.change': { roles: OWNER },
  'audit.read': { roles: ALL },
  'application.create': { roles: OWNER },
  'application.list': { roles: ALL },
  'application.read': { roles: ALL, ofApplication: true },
  'application.change': { roles: BUILDERS, ofApplication: true },
  'application.secrets': { roles: BUILDERS, ofApplication: true },
  /** Webhooks at another application's address, and webhooks and logos in the operator's own network. */
  'endpoint.any_address': { roles: OWNER, ofApplication: true },
  'application.signing_keys': { roles: OWNER, ofApplication: true },
  'application.delete': { roles: OWNER, ofApplication: true },
  'user.list': { roles: ALL },
  'user.read': { roles: ALL, ofApplication: true },
  'user.change': { roles: BUILDERS, ofApplication: true },
  /** Unmasked names of users: their ids, and those of their accounts and calendars. */
  'user.name': { roles: BUILDERS, ofApplication: true },
  'delivery.list': { roles: ALL },
  'delivery.read': { roles: ALL, ofApplication: true },
  'delivery.body': { roles: BUILDERS, ofApplication: true },
  'delivery.replay': { roles: BUILDERS, ofApplication: true },
  'request.list': { roles: ALL },
  'request.read': { roles: ALL, ofApplication: true },
  /** The playground's first page, and the return of its flows. */
  'playground.open': { roles: BUILDERS },
  'playground.use': { roles: BUILDERS, ofApplication: true },
  'verification.review': { roles: OWNER, ofApplication: true },
} as const satisfies Readonly<Record<string, Rule>>;

export type Permission = keyof typeof PERMISSIONS;

/** Returns whether a role has the permission, for a developer at least for assigned applications. */
export const mayRole = (role: Role, permission: Permission): boolean =>
  (PERMISSIONS[permission] as Rule).roles.includes(role);

/** Returns whether the actor has the permission. `clientId` is the application that it concerns, if any. */
export function may(actor: Actor, permission: Permission, clientId?: string): boolean {
  if (actor === 'command line') return true;
  const rule: Rule = PERMISSIONS[permission];
  if (!rule.roles.includes(actor.role)) return false;
  if (rule.ofApplication !== true || actor.role !== 'developer') return true;
  return clientId !== undefined && actor.clientIds.includes(clientId);
}

/** Returns the ids of the applications that a developer is assigned. Undefined: the actor may read all. */
export const assignedClientIds = (actor: Actor): readonly string[] | undefined =>
  actor !== 'command line' && actor.role === 'developer' ? actor.clientIds : undefined;

/** Throws PeopleRefusal `not_there` for an application that the actor may not see, `not_allowed` for a wrong role. */
export function mustBeAllowed(actor: Actor, permission: Permission, clientId?: string): void {
  if (may(actor, permission, clientId)) return;
  const isForeign = actor !== 'command line' && mayRole(actor.role, permission);
  throw new PeopleRefusal(isForeign ? 'not_there' : 'not_allowed');
}
