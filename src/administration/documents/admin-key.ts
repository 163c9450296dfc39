/** A key of the administration API as operators see it, never its text. */
import type { ListedAdminKey } from '../../people/admin-key-store.ts';
import { type DocumentField, toTime } from './field.ts';

export const ADMIN_KEY: readonly DocumentField<ListedAdminKey>[] = [
  { name: 'key_id', label: 'key_id', value: ({ keyId }) => keyId },
  { name: 'name', label: 'name', value: ({ name }) => name },
  {
    name: 'role',
    label: 'role',
    value: ({ role }) => role,
    text: ({ role, clientIds }) => (role === 'developer' ? `${role} of ${clientIds.length}` : role),
  },
  { name: 'client_ids', value: ({ clientIds }) => clientIds },
  { name: 'prefix', value: ({ prefix }) => prefix },
  { name: 'state', value: ({ state }) => state },
  { name: 'created_by', value: ({ creator }) => creator ?? null, text: ({ creator = '-' }) => creator },
  { name: 'created_at', value: ({ createdAt }) => toTime(createdAt) },
  {
    name: 'expires_at',
    label: 'expires',
    value: ({ expiresAt }) => toTime(expiresAt),
    text: ({ expiresAt }) => toTime(expiresAt) ?? 'never',
  },
  {
    name: 'last_used_at',
    value: ({ usedAt }) => toTime(usedAt),
    text: ({ usedAt }) => toTime(usedAt) ?? 'never',
  },
];
