/** A member of the dashboard as operators see one. Wire: `person` is the word of the commands. */
import type { Person } from '../../people/person.ts';
import { type DocumentField, toTime } from './field.ts';

/** The fields that the list of members and the page of one have in common. */
export const PERSON_SUMMARY: readonly DocumentField<Person>[] = [
  { name: 'person_id', label: 'person_id', value: ({ personId }) => personId },
  { name: 'email', label: 'e-mail', value: ({ login }) => login },
  { name: 'name', label: 'name', value: ({ name }) => name },
  {
    name: 'role',
    label: 'role',
    value: ({ role }) => role,
    text: ({ role, clientIds }) => (role === 'developer' ? `${role} of ${clientIds.length}` : role),
  },
  { name: 'client_ids', label: 'applications', value: ({ clientIds }) => clientIds },
];

/** A member in lists. */
export const PERSON: readonly DocumentField<Person>[] = [
  ...PERSON_SUMMARY,
  {
    name: 'last_seen_at',
    value: ({ seenAt }) => toTime(seenAt),
    text: ({ seenAt }) => toTime(seenAt) ?? 'never',
  },
];
