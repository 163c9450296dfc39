/** Names of users, calendars and accounts, as a role may read them. */
import { maskedName } from '../../connect/accounts/account-views.ts';
import { mayRole } from '../../people/permission.ts';
import type { Person } from '../../people/person.ts';

/** Maximum characters. A calendar's title can be as long as its provider allows. */
const MOST_SHOWN = 300;

/** Returns the name, or a masked one such as `j•••@e•••.com` for members who may not read user names. */
export const shownName = ({ role }: Pick<Person, 'role'>, name: string): string =>
  mayRole(role, 'user.name') ? cut(name) : maskedName(name);

const cut = (name: string): string => (name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}…` : name);
