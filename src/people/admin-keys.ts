/** Keys of the administration API: which one a request presents, and the actions of owners on them. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { By } from '../audit/audit-entry.ts';
import { ANY_CALL, ApiError } from '../http/refusal.ts';
import { hashOfSecret } from '../lib/sealing.ts';
import type { AdminKey, AdminKeyStore, ListedAdminKey } from './admin-key-store.ts';
import { PeopleRefusal } from './people-refusal.ts';
import { mustBeAllowed } from './permission.ts';
import { type Actor, personNameProblem, type Role } from './person.ts';

/** The id and the name of the key that KALENDS_ADMIN_KEY sets. */
export const ENVIRONMENT = 'environment';

const PREFIX = 'kal_adm_';
const KEY = /^kal_adm_[\w-]{43}$/;
const VISIBLE_CHARACTERS = 12;

export type AdminKeysDeps = {
  readonly adminKeys: AdminKeyStore;
  /** Returns the application, or `undefined`. */
  readonly clients: { findClient(clientId: string): Promise<object | undefined> };
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** The key of a request, which is an actor like a member. */
export type PresentedKey = Pick<AdminKey, 'keyId' | 'name' | 'role' | 'clientIds'>;

/** Returns the valid key with this text. `adminKey` is the value of KALENDS_ADMIN_KEY, if it is set. */
export async function findPresentedKey(
  text: string,
  { adminKeys, adminKey, now }: Omit<AdminKeysDeps, 'clients'> & { readonly adminKey: string | undefined },
): Promise<PresentedKey | undefined> {
  if (adminKey !== undefined && isEqual(text, adminKey))
    return { keyId: ENVIRONMENT, name: ENVIRONMENT, role: 'owner', clientIds: [] };
  return KEY.test(text) ? adminKeys.useKey(hashOfSecret(text), now()) : undefined;
}

/** Compares hashes: `timingSafeEqual` requires equal lengths. */
const isEqual = (text: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(hashOfSecret(text)), Buffer.from(hashOfSecret(other)));

export type NewAdminKey = {
  readonly name: string;
  readonly role: Role;
  readonly clientIds: readonly string[];
  /** Milliseconds. Undefined for a key that does not expire. */
  readonly lifetimeMs: number | undefined;
};

/** A key with its text, which is shown only once: the store has its hash. */
export type CreatedAdminKey = { readonly key: AdminKey; readonly secret: string };

/** Creates a key. Throws PeopleRefusal `not_allowed`, and ApiError 400 for an invalid name or application. */
export async function createAdminKey(
  actor: Actor,
  { name, role, clientIds, lifetimeMs }: NewAdminKey,
  { adminKeys, clients, now, by }: AdminKeysDeps & By,
): Promise<CreatedAdminKey> {
  mustBeAllowed(actor, 'people.manage');
  const problem = personNameProblem(name);
  if (problem !== undefined) throw invalid('name', `name ${problem}`);
  const isLimited = role === 'developer';
  if (isLimited !== clientIds.length > 0)
    throw invalid('client_ids', 'client_ids must name the applications of a developer, and no others');
  const distinctIds = [...new Set(clientIds)];
  for (const clientId of distinctIds)
    if ((await clients.findClient(clientId)) === undefined)
      throw invalid('client_ids', `There is no application "${clientId}"`);
  const secret = newSecret();
  const createdAt = now();
  const key: AdminKey = {
    keyId: `ak_${randomBytes(9).toString('base64url')}`,
    ...{ name: name.trim(), role, clientIds: distinctIds, prefix: prefixOf(secret), createdAt },
    expiresAt: lifetimeMs === undefined ? undefined : createdAt + lifetimeMs,
  };
  await adminKeys.addKey(key, hashOfSecret(secret), by);
  return { key, secret };
}

const newSecret = (): string => PREFIX + randomBytes(32).toString('base64url');
const prefixOf = (secret: string): string => secret.slice(0, VISIBLE_CHARACTERS);
const invalid = (field: string, message: string): ApiError =>
  new ApiError(ANY_CALL.invalid_request, { message, field });

/** Returns all keys in order of creation. Throws PeopleRefusal `not_allowed`. */
export async function listAdminKeys(
  actor: Actor,
  { adminKeys, now }: Pick<AdminKeysDeps, 'adminKeys' | 'now'>,
): Promise<ListedAdminKey[]> {
  mustBeAllowed(actor, 'people.manage');
  return adminKeys.listKeys(now());
}

/** The new text of a key, and the end of the previous one. */
export type RotatedAdminKey = {
  readonly keyId: string;
  readonly secret: string;
  readonly previousUntil: number;
};

/** Replaces the text of a key; the previous one is valid for `overlapMs`. Throws PeopleRefusal. */
export async function rotateAdminKey(
  actor: Actor,
  { keyId, overlapMs }: { readonly keyId: string; readonly overlapMs: number },
  { adminKeys, now, by }: Pick<AdminKeysDeps, 'adminKeys' | 'now'> & By,
): Promise<RotatedAdminKey> {
  mustBeAllowed(actor, 'people.manage');
  const secret = newSecret();
  const previousUntil = now() + overlapMs;
  const rotation = { keyId, prefix: prefixOf(secret), hash: hashOfSecret(secret), previousUntil };
  if (!(await adminKeys.rotateKey(rotation, by))) throw new PeopleRefusal('not_there');
  return { keyId, secret, previousUntil };
}

/** Revokes a key, and with it all keys that it created. Throws PeopleRefusal. */
export async function revokeAdminKey(
  actor: Actor,
  keyId: string,
  { adminKeys, by }: Pick<AdminKeysDeps, 'adminKeys'> & By,
): Promise<void> {
  mustBeAllowed(actor, 'people.manage');
  if (!(await adminKeys.removeKey(keyId, by))) throw new PeopleRefusal('not_there');
}
