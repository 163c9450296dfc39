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
import { openMailer } from '../config/mail-options.ts';
import {
  invite,
  makeResetLink,
  type NewLink,
  type PeopleDeps,
  withdrawInvitation,
} from '../people/invitations.ts';
import { type LinkMailDeps, sendLink } from '../people/link-mail.ts';
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
  type CommandOption,
  type Context,
  type Input,
  type Positional,
  type Result,
  type Storage,
  usageError,
} from './command.ts';
import { tabulate } from './help.ts';
import { confirm, listResult, oneOf, text, YES } from './option-values.ts';

const PERSON: Positional = { name: 'PERSON', doc: 'The email address or the id of a member.' };

const CLIENTS: CommandOption = {
  name: 'client',
  value: 'ID,…',
  doc: 'The applications of a developer, separated by commas.',
};

const LINK: CommandOption = {
  name: 'link',
  doc: 'Print the link and mail nothing.',
};

const inviteCommand: Command = {
  name: 'admin invite',
  summary: 'Create an invitation link for the dashboard',
  positionals: [
    {
      name: 'EMAIL',
      doc: 'The email address of the new member. By default, the member enters it.',
      optional: true,
    },
  ],
  options: [
    { name: 'role', value: 'ROLE', doc: '`owner`, `developer` or `viewer`. Default: `owner`.' },
    CLIENTS,
    LINK,
  ],
  notes: [
    'The link works once, for a week. If EMAIL and KALENDS_SMTP_URL are set, Kalends mails it. Otherwise, give the link to the new member privately.',
  ],
  run: ({ positionals, options }, context) =>
    withPeople(context, async (deps) => {
      const login = positionals.EMAIL;
      const invitation = { role: roleIn(options), login, clientIds: clientIdsIn(options) };
      if (login !== undefined && parseLogin(login) === undefined)
        throw usageError(`"${login}" is not an email address.`);
      const link = await invite('command line', invitation, deps);
      return linkResult(link, options, deps);
    }),
};

const list: Command = {
  name: 'admin list',
  summary: 'List the members of the dashboard',
  run: (_, context) =>
    withPeople(context, async ({ people }) =>
      listResult({
        name: 'people',
        fields: MEMBER,
        columns: ['person_id', 'email', 'name', 'role', 'last_seen_at'],
        subjects: await people.listPeople(),
        none: 'No members yet. "kalends admin invite" creates a link for the first one.',
      }),
    ),
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
      await removePerson('command line', personId, deps);
      return { json: { removed: true, person_id: personId, email: login }, text: `Removed ${login}.` };
    }),
};

const reset: Command = {
  name: 'admin reset',
  summary: 'Create a reset link, with which a member sets a new password',
  positionals: [PERSON],
  options: [LINK],
  notes: [
    'The link works once, for an hour. If KALENDS_SMTP_URL is set, Kalends mails it. Its use ends the sessions, passkeys and single sign-on of the member, and the links that they created.',
  ],
  run: (input, context) =>
    withMember(input, context, async ({ personId }, deps) => {
      const link = await makeResetLink('command line', personId, deps);
      if (link === undefined) throw new CommandError('not_found', 'This member was removed meanwhile.');
      return linkResult(link, input.options, deps);
    }),
};

type MemberDeps = PeopleDeps & By & Pick<Storage, 'addresses'> & Pick<LinkMailDeps, 'mailer'>;

/** Opens the storage for `work`. Throws CommandError for a PeopleRefusal. */
const withPeople = (
  { withStorage, config, deps: { now } }: Context,
  work: (deps: MemberDeps) => Promise<Result>,
): Promise<Result> =>
  withStorage(({ people, by, addresses }) =>
    work({ people, now, by, addresses, mailer: openMailer(config()) }),
  ).catch((reason) => {
    if (!(reason instanceof PeopleRefusal)) throw reason;
    throw new CommandError(reason.kind, REASONS[reason.kind] ?? 'This is not allowed.');
  });

/** Runs `work` on the member that the command names. */
const withMember = (
  { positionals }: Input,
  context: Context,
  work: (member: Person, deps: MemberDeps) => Promise<Result>,
): Promise<Result> =>
  withPeople(context, async (deps) => work(await namedPerson(positionals.PERSON ?? '', deps), deps));

/** Returns the value of `--role`; `owner` by default. */
const roleIn = ({ role: name }: Input['options']): Role =>
  oneOf(name, ROLES, `--role must be one of ${ROLES.join(', ')}, not "${name}".`) ?? 'owner';

/** Returns the values of `--client`. */
const clientIdsIn = ({ client }: Input['options']): string[] => text(client)?.split(',') ?? [];

async function linkResult(link: NewLink, options: Input['options'], deps: MemberDeps): Promise<Result> {
  const { expiresAt, role, login } = link.invitation;
  const { dashboardUrl } = await deps.addresses();
  if (dashboardUrl === undefined)
    throw new CommandError('dashboard_off', 'The dashboard is off (KALENDS_DASHBOARD).');
  const mailer = options.link === undefined ? deps.mailer : undefined;
  const { url, mailError } = await sendLink(link, { mailer, dashboardUrl });
  const until = new Date(expiresAt).toISOString();
  const json = { role, email: login ?? null, expires_at: until };
  if (url === undefined)
    return {
      json: { mailed: true, ...json },
      text: `The link was mailed to ${login}. It works once, until ${until}.`,
    };
  const problem = mailError === undefined ? '' : `The link was not mailed. ${mailError}\n\n`;
  return {
    json: { url, ...json, ...(mailError !== undefined && { mail_error: mailError }) },
    text: `${problem}${url}\n\nThe link works once, until ${until}. It is not shown again.`,
  };
}

const REASONS: Partial<Record<PeopleRefusal['kind'], string>> = {
  last_owner: 'This member is the only owner: invite another owner first ("kalends admin invite").',
  last_way:
    'This is the only way in which the member can sign in. Use "kalends admin reset" to replace it, or "kalends admin remove" to remove the member.',
  login_taken: 'A member already has this address. "kalends admin reset" creates a reset link.',
  not_there: 'There is no such member or invitation.',
  role_from_claims: 'The role of this member comes from single sign-on: change it there.',
};

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
    CLIENTS,
  ],
  notes: [
    'A change of the role ends the sessions of the member, and the links that they created. The only owner keeps the role.',
  ],
  run: (input, context) =>
    withMember(input, context, async ({ personId, login }, deps) => {
      const change = { personId, role: roleIn(input.options), clientIds: clientIdsIn(input.options) };
      await changeRole('command line', change, deps);
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
      const ended = await endMemberSessions('command line', personId, deps);
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
      await removeMemberPasskey('command line', { personId, passkeyId }, deps);
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
      await disconnectMemberIdentity('command line', personId, deps);
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
  run: (_, context) =>
    withPeople(context, async ({ people, now }) =>
      listResult({
        name: 'invitations',
        fields: INVITATION,
        columns: INVITATION.map(({ name }) => name),
        subjects: await people.listInvitations(now()),
        none: 'No open invitations or reset links.',
      }),
    ),
};

const withdraw: Command = {
  name: 'admin withdraw',
  summary: 'Withdraw an invitation: its link no longer works',
  positionals: [{ name: 'INVITATION', doc: 'The id of a link, see `admin invitations`.' }],
  run: ({ positionals }, context) =>
    withPeople(context, async (deps) => {
      const id = positionals.INVITATION ?? '';
      await withdrawInvitation('command line', id, deps);
      return { json: { withdrawn: true, invitation_id: id }, text: 'The link no longer works.' };
    }),
};

export const adminCommands: readonly Command[] = [
  inviteCommand,
  list,
  remove,
  reset,
  show,
  role,
  signOut,
  removePasskey,
  disconnect,
  invitations,
  withdraw,
];
