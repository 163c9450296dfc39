/** `kalends admin …`: members of the dashboard. */

import { toDocument, toRows, toTime } from '../administration/documents/field.ts';
import {
  INVITATION,
  PERSON as MEMBER,
  PASSKEY,
  PERSON_SUMMARY,
  SESSION,
} from '../administration/documents/person.ts';
import type { By } from '../audit/audit-entry.ts';
import {
  invite,
  joinUrl,
  makeResetLink,
  type NewLink,
  onLocalhost,
  type PeopleDeps,
  withdrawInvitation,
} from '../people/invitations.ts';
import {
  changeRole,
  disconnectMemberIdentity,
  endMemberSessions,
  namedPerson,
  removeMemberPasskey,
  removePerson,
} from '../people/people.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { type Person, parseLogin, ROLES, type Role } from '../people/person.ts';
import {
  type Command,
  CommandError,
  type Context,
  type Input,
  type Positional,
  type Result,
  usageError,
} from './command.ts';
import { tabulate } from './help.ts';
import { confirm, listResult, YES } from './option-values.ts';

export const PERSON: Positional = { name: 'PERSON', doc: 'The e-mail address or the id of a member.' };

const inviteCommand: Command = {
  name: 'admin invite',
  summary: 'Create an invitation to the dashboard',
  positionals: [
    {
      name: 'EMAIL',
      doc: 'The address of the new member. By default, the member enters it.',
      optional: true,
    },
  ],
  options: [
    { name: 'role', value: 'ROLE', doc: '`owner`, `developer` or `viewer`. Default: `owner`.' },
    {
      name: 'client',
      value: 'ID,…',
      doc: 'The applications of a developer, separated by commas.',
    },
  ],
  notes: [
    'The link works once, for a week. Kalends sends nothing: give the link to the new member privately.',
  ],
  run: ({ positionals, options }, context) =>
    context.withStorage(async ({ people, by }) => {
      const role = roleIn(options.role);
      const clientIds = typeof options.client === 'string' ? options.client.split(',') : [];
      const login = positionals.EMAIL;
      if (login !== undefined && parseLogin(login) === undefined)
        throw usageError(`"${login}" is not an e-mail address.`);
      const deps = { people, now: context.deps.now, by };
      const link = await toCommandError(invite('command line', { role, login, clientIds }, deps));
      return linkResult(link, context);
    }),
};

const list: Command = {
  name: 'admin list',
  summary: 'List the members of the dashboard',
  run: (_, { withStorage }) =>
    withStorage(async ({ people }) => {
      return listResult({
        name: 'people',
        fields: MEMBER,
        columns: ['person_id', 'email', 'name', 'role', 'last_seen_at'],
        subjects: await people.listPeople(),
        none: 'There are no members. "kalends admin invite" creates a link for the first one.',
      });
    }),
};

const remove: Command = {
  name: 'admin remove',
  summary: 'Remove a member and end all their sessions',
  positionals: [PERSON],
  options: [YES],
  notes: ['The links that the member created stop working too.'],
  run: (input, context) =>
    withMember(input, context, async ({ personId, login }, deps) => {
      await confirm(`Removing ${login}`, input, context);
      await toCommandError(removePerson('command line', personId, deps));
      return { json: { removed: true, person_id: personId, email: login }, text: `Removed ${login}.` };
    }),
};

const reset: Command = {
  name: 'admin reset',
  summary: 'Create a link with which a member sets a new password',
  positionals: [PERSON],
  notes: [
    'The link works once, for an hour. Its use ends the sessions, passkeys and single sign-on of the member, and the links that they created.',
  ],
  run: (input, context) =>
    withMember(input, context, async ({ personId }, deps) => {
      const link = await toCommandError(makeResetLink('command line', personId, deps));
      if (link === undefined) throw new CommandError('not_found', 'This member was removed meanwhile.');
      return linkResult(link, context);
    }),
};

export const adminCommands: readonly Command[] = [inviteCommand, list, remove, reset];

/** Runs `work` on the member that the command names. */
export const withMember = (
  { positionals }: Input,
  { withStorage, deps: { now } }: Context,
  work: (member: Person, deps: PeopleDeps & By) => Promise<Result>,
): Promise<Result> =>
  withStorage(async ({ people, by }) =>
    work(await namedPerson(positionals.PERSON ?? '', { people }), { people, now, by }),
  );

/** Returns the value of `--role`; `owner` by default. */
export function roleIn(text: string | true | undefined): Role {
  if (text === undefined) return 'owner';
  const role = ROLES.find((candidate) => candidate === text);
  if (role === undefined) throw usageError(`--role must be one of ${ROLES.join(', ')}, not "${text}".`);
  return role;
}

function linkResult({ invitation, token }: NewLink, context: Context): Result {
  const { dashboardUrl } = context.config();
  if (dashboardUrl === undefined)
    throw new CommandError('dashboard_off', 'The dashboard is off (KALENDS_DASHBOARD).');
  const url = joinUrl(onLocalhost(dashboardUrl), token);
  const until = new Date(invitation.expiresAt).toISOString();
  return {
    json: { url, role: invitation.role, email: invitation.login ?? null, expires_at: until },
    text: `${url}\n\nThe link works once, until ${until}. It is shown only once.`,
  };
}

const REASONS: Partial<Record<PeopleRefusal['kind'], string>> = {
  last_owner: 'This member is the only owner: invite another owner first ("kalends admin invite").',
  last_way:
    'This is the only way in which the member can sign in. Use "kalends admin reset" to replace it, or "kalends admin remove" to remove the member.',
  login_taken: 'A member has this address already. "kalends admin reset" lets them set a new password.',
  not_there: 'There is no such member or invitation.',
  role_from_claims: 'The role of this member comes from single sign-on: change it there.',
};

/** Awaits `work`. Throws CommandError for a PeopleRefusal. */
export async function toCommandError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (reason) {
    if (!(reason instanceof PeopleRefusal)) throw reason;
    throw new CommandError(reason.kind, REASONS[reason.kind] ?? 'This is not allowed.');
  }
}

const show: Command = {
  name: 'admin show',
  summary: 'Show how a member signs in, and their sessions',
  positionals: [PERSON],
  run: (input, context) =>
    withMember(input, context, async (person, { people }) => {
      const { personId, hasPassword, identity } = person;
      const passkeys = await people.listPasskeys(personId);
      const sessions = await people.listSessions(personId);
      const rows = [
        ...toRows(PERSON_SUMMARY, person),
        ['password', hasPassword ? 'yes' : 'no'],
        ...passkeys.map((passkey) => [
          'passkey',
          `${passkey.passkeyId}: ${passkey.name}, last used ${toTime(passkey.usedAt) ?? 'never'}`,
        ]),
        ...(identity === undefined ? [] : [['single sign-on', `${identity.subject} at ${identity.issuer}`]]),
        ...sessions.map(({ seenAt, address }) => ['session', `last used ${toTime(seenAt)} from ${address}`]),
      ];
      const json = {
        ...toDocument(PERSON_SUMMARY, person),
        has_password: hasPassword,
        passkeys: passkeys.map((passkey) => toDocument(PASSKEY, passkey)),
        single_sign_on:
          identity === undefined
            ? null
            : { issuer: identity.issuer, subject: identity.subject, role_source: identity.roleSource },
        sessions: sessions.map((session) => toDocument(SESSION, session)),
      };
      return { json, text: tabulate(rows) };
    }),
};

const role: Command = {
  name: 'admin role',
  summary: 'Change the role or the applications of a member',
  positionals: [PERSON],
  options: [
    { name: 'role', value: 'ROLE', doc: '`owner`, `developer` or `viewer`.', required: true },
    { name: 'client', value: 'ID,…', doc: 'The applications of a developer, separated by commas.' },
  ],
  notes: [
    'A change of the role ends the sessions of the member, and the links that they created. The only owner keeps the role.',
  ],
  run: (input, context) =>
    withMember(input, context, async ({ personId, login }, deps) => {
      const { client, role: name } = input.options;
      const clientIds = typeof client === 'string' ? client.split(',') : [];
      const change = { personId, role: roleIn(name), clientIds };
      await toCommandError(changeRole('command line', change, deps));
      return {
        json: { person_id: personId, email: login, role: change.role },
        text: `The role of ${login} is ${change.role} now.`,
      };
    }),
};

const signOut: Command = {
  name: 'admin sign-out',
  summary: 'End all sessions of a member',
  positionals: [PERSON],
  notes: ['The links that the member created stop working too.'],
  run: (input, context) =>
    withMember(input, context, async ({ personId, login }, deps) => {
      const ended = await toCommandError(endMemberSessions('command line', personId, deps));
      return {
        json: { person_id: personId, email: login, ended },
        text: `Ended ${ended} session(s) of ${login}.`,
      };
    }),
};

const removePasskey: Command = {
  name: 'admin remove-passkey',
  summary: 'Remove a passkey of a member, such as that of a lost device',
  positionals: [PERSON, { name: 'PASSKEY', doc: 'The id of a passkey, see `admin show`.' }],
  options: [YES],
  notes: [
    'Sessions continue: "kalends admin sign-out" ends them. The last way to sign in cannot be removed.',
  ],
  run: (input, context) =>
    withMember(input, context, async ({ personId, login }, deps) => {
      const passkeyId = input.positionals.PASSKEY ?? '';
      await confirm(`Removing a passkey of ${login}`, input, context);
      await toCommandError(removeMemberPasskey('command line', { personId, passkeyId }, deps));
      return {
        json: { removed: true, person_id: personId, passkey_id: passkeyId },
        text: `Removed the passkey of ${login}.`,
      };
    }),
};

const disconnect: Command = {
  name: 'admin disconnect',
  summary: 'Disconnect the single sign-on of a member who can sign in otherwise',
  positionals: [PERSON],
  options: [YES],
  notes: [
    'Sessions continue: "kalends admin sign-out" ends them. The last way to sign in cannot be removed.',
  ],
  run: (input, context) =>
    withMember(input, context, async ({ personId, login }, deps) => {
      await confirm(`Disconnecting the single sign-on of ${login}`, input, context);
      await toCommandError(disconnectMemberIdentity('command line', personId, deps));
      return {
        json: { disconnected: true, person_id: personId },
        text: `Disconnected the single sign-on of ${login}.`,
      };
    }),
};

const invitations: Command = {
  name: 'admin invitations',
  summary: 'List open invitations and reset links, and their creators',
  notes: [
    'The link of a member works only while that member is an owner. Links of the command line and of older versions have no creator.',
  ],
  run: (_, { withStorage, deps }) =>
    withStorage(async ({ people }) =>
      listResult({
        name: 'invitations',
        fields: INVITATION,
        columns: INVITATION.map(({ name }) => name),
        subjects: await people.listInvitations(deps.now()),
        none: 'There are no open links.',
      }),
    ),
};

const withdraw: Command = {
  name: 'admin withdraw',
  summary: 'Withdraw an invitation: its link no longer works',
  positionals: [{ name: 'INVITATION', doc: 'The id of a link, see `admin invitations`.' }],
  run: ({ positionals }, { withStorage, deps }) =>
    withStorage(async ({ people, by }) => {
      const id = positionals.INVITATION ?? '';
      await toCommandError(withdrawInvitation('command line', id, { people, now: deps.now, by }));
      return { json: { withdrawn: true, invitation_id: id }, text: 'The link no longer works.' };
    }),
};

export const adminPersonCommands: readonly Command[] = [
  show,
  role,
  signOut,
  removePasskey,
  disconnect,
  invitations,
  withdraw,
];
