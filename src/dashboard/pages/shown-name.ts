/** Names of users, and of what is theirs, as a role may read them. */
import { maskedName } from '../../connect/accounts/account-views.ts';
import { mayRole } from '../../people/permission.ts';
import type { Person } from '../../people/person.ts';

/** A calendar's title may be as long as its provider lets it. */
const MOST_SHOWN = 300;

/** The id of a user, of a calendar or of an account: whole, or `j•••@e•••.com` for who may not read whose it is. */
export const shownName = ({ role }: Pick<Person, 'role'>, name: string): string =>
  mayRole(role, 'user.name') ? cut(name) : maskedName(name);

const cut = (name: string): string => (name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}…` : name);
