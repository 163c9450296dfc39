/** A member of the dashboard as operators see one. Wire: `person` is the word of the commands. */
import type { Passkey } from '../../people/passkey-store.ts';
import type { Person } from '../../people/person.ts';
import type { Invitation, Session } from '../../people/person-store.ts';
import { type DocumentField, toTime } from './field.ts';

/** The fields that the list of members and the page of one have in common. */
export const PERSON_SUMMARY: readonly DocumentField<Person>[] = [
  { name: 'person_id', label: 'person_id', value: ({ personId }) => personId },
  { name: 'email', label: 'email', value: ({ login }) => login },
  { name: 'name', label: 'name', value: ({ name }) => name },
  {
    name: 'role',
    label: 'role',
    value: ({ role }) => role,
    text: ({ role, clientIds }) => (role === 'developer' ? `${role} of ${clientIds.length}` : role),
  },
  { name: 'client_ids', label: 'applications', value: ({ clientIds }) => clientIds },
];

export const PERSON: readonly DocumentField<Person>[] = [
  ...PERSON_SUMMARY,
  {
    name: 'last_seen_at',
    head: 'LAST ACTIVE',
    value: ({ seenAt }) => toTime(seenAt),
    text: ({ seenAt }) => toTime(seenAt) ?? 'never',
  },
];

export const PASSKEY: readonly DocumentField<Passkey>[] = [
  { name: 'passkey_id', value: ({ passkeyId }) => passkeyId },
  { name: 'name', value: ({ name }) => name },
  { name: 'last_used_at', value: ({ usedAt }) => toTime(usedAt) },
];

export const SESSION: readonly DocumentField<Session>[] = [
  { name: 'last_used_at', value: ({ seenAt }) => toTime(seenAt) },
  { name: 'address', value: ({ address }) => address },
  { name: 'browser', value: ({ browser }) => browser },
];

export const INVITATION: readonly DocumentField<Invitation>[] = [
  { name: 'invitation_id', value: ({ invitationId }) => invitationId },
  { name: 'purpose', value: ({ purpose }) => purpose },
  { name: 'email', value: ({ login }) => login ?? null, text: ({ login }) => login ?? 'anyone' },
  { name: 'role', value: ({ role }) => role },
  { name: 'created_by', value: ({ creator }) => creator ?? null, text: ({ creator }) => creator ?? '-' },
  { name: 'expires_at', value: ({ expiresAt }) => toTime(expiresAt) },
];
