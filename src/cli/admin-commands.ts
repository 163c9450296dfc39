/** `kalends admin …`: members of the dashboard. */
import { toRows, toTime } from '../administration/documents/field.ts';
import { INVITATION, PERSON as MEMBER, PERSON_SUMMARY } from '../administration/documents/person.ts';
import {
  type CreatedLink,
  createInvitation,
  createResetLink,
  disconnectIdentity,
  endSessions,
  listInvitations,
  listMembers,
  removeMember,
  removePasskey as removePasskeyOperation,
  showMember,
  updateMember,
  withdraw as withdrawOperation,
} from '../administration/operations/member-operations.ts';
import { parseLogin, ROLES, type Role } from '../people/person.ts';
import { type Command, type CommandOption, type Input, type Positional, usageError } from './command.ts';
import { tabulate } from './help.ts';
import { listOutput, operationCommand } from './operation-command.ts';
import { oneOf, text, YES } from './option-values.ts';
import type { Operations, Output } from './rendering.ts';

const PERSON: Positional = { name: 'PERSON', doc: 'The email address or the id of a member.' };

const CLIENTS: CommandOption = {
  name: 'client',
  value: 'ID,…',
  doc: 'The applications of a developer, separated by commas.',
};

const LINK: CommandOption = { name: 'link', doc: 'Print the link and mail nothing.' };

/** Returns the path field of the member that the command names. */
const memberIn = ({ positionals }: Input) => ({ person_id: positionals.PERSON });

/** Returns the beginning of a question about a member, with their address. */
const aboutMember = (action: string) => async (input: Input, operations: Operations) =>
  `${action} ${(await operations.read(showMember, memberIn(input))).email}`;

/** Returns the value of `--role`; `owner` by default. */
const roleIn = ({ role: name }: Input['options']): Role =>
  oneOf(name, ROLES, `--role must be one of ${ROLES.join(', ')}, not "${name}".`) ?? 'owner';

/** Returns the values of `--client`. */
const clientIdsIn = ({ client }: Input['options']): string[] => text(client)?.split(',') ?? [];

function renderLink({ url, mailError, login, expiresAt }: CreatedLink): Output {
  const until = new Date(expiresAt).toISOString();
  if (url === undefined) return { text: `The link was mailed to ${login}. It works once, until ${until}.` };
  const problem = mailError === undefined ? '' : `The link was not mailed. ${mailError}\n\n`;
  return { text: `${problem}${url}\n\nThe link works once, until ${until}. It is not shown again.` };
}

const inviteCommand = operationCommand({
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
  operation: createInvitation,
  input({ positionals: { EMAIL: email }, options }) {
    if (email !== undefined && parseLogin(email) === undefined)
      throw usageError(`"${email}" is not an email address.`);
    return { email, role: roleIn(options), client_ids: clientIdsIn(options), link: options.link };
  },
  render: renderLink,
});

const list = operationCommand({
  name: 'admin list',
  summary: 'List the members of the dashboard',
  operation: listMembers,
  input: () => ({}),
  render: ({ subjects }) =>
    listOutput(
      MEMBER,
      {
        columns: ['person_id', 'email', 'name', 'role', 'last_seen_at'],
        none: 'No members yet. "kalends admin invite" creates a link for the first one.',
      },
      subjects,
    ),
});

const remove = operationCommand({
  name: 'admin remove',
  summary: 'Remove a member and end all their sessions',
  positionals: [PERSON],
  options: [
    {
      name: 'keep-keys',
      doc: 'Keep the admin keys that the member created: you become their creator. By default they end.',
    },
    YES,
  ],
  notes: ['The links that the member created stop working too.'],
  operation: removeMember,
  confirmation: aboutMember('Removing'),
  input: (input) => ({ ...memberIn(input), keep_keys: input.options['keep-keys'] }),
  render: ({ login }) => ({ text: `Removed ${login}.` }),
});

const reset = operationCommand({
  name: 'admin reset',
  summary: 'Create a reset link, with which a member sets a new password',
  positionals: [PERSON],
  options: [LINK],
  notes: [
    'The link works once, for an hour. If KALENDS_SMTP_URL is set, Kalends mails it. Its use ends the sessions, passkeys and single sign-on of the member, and the links that they created.',
  ],
  operation: createResetLink,
  input: (input) => ({ ...memberIn(input), link: input.options.link }),
  render: renderLink,
});

const show = operationCommand({
  name: 'admin show',
  summary: 'Show how a member signs in, and their sessions',
  positionals: [PERSON],
  operation: showMember,
  input: memberIn,
  render({ person, passkeys, sessions }) {
    const { hasPassword, identity } = person;
    const rows = [
      ...toRows(PERSON_SUMMARY, person),
      ['password', hasPassword ? 'yes' : 'no'],
      ...passkeys.map(({ passkeyId, name, usedAt }) => [
        'passkey',
        `${passkeyId}: ${name}, last used ${toTime(usedAt) ?? 'never'}`,
      ]),
      ...(identity === undefined ? [] : [['single sign-on', `${identity.subject} at ${identity.issuer}`]]),
      ...sessions.map(({ seenAt, address }) => ['session', `last used ${toTime(seenAt)} from ${address}`]),
    ];
    return { text: tabulate(rows) };
  },
});

const role = operationCommand({
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
  operation: updateMember,
  input: (input) => ({
    ...memberIn(input),
    ...{ role: roleIn(input.options), client_ids: clientIdsIn(input.options) },
  }),
  render: ({ login, role }) => ({ text: `The role of ${login} is ${role} now.` }),
});

const signOut = operationCommand({
  name: 'admin sign-out',
  summary: 'End all sessions of a member',
  positionals: [PERSON],
  notes: ['The links that the member created stop working too.'],
  operation: endSessions,
  input: memberIn,
  render: ({ login, ended }) => ({ text: `Ended ${ended} session(s) of ${login}.` }),
});

const removePasskey = operationCommand({
  name: 'admin remove-passkey',
  summary: 'Remove a passkey of a member, such as that of a lost device',
  positionals: [PERSON, { name: 'PASSKEY', doc: 'The id of a passkey, see `admin show`.' }],
  options: [YES],
  notes: [
    'Sessions continue: "kalends admin sign-out" ends them. The last way to sign in cannot be removed.',
  ],
  operation: removePasskeyOperation,
  confirmation: aboutMember('Removing a passkey of'),
  input: (input) => ({ ...memberIn(input), passkey_id: input.positionals.PASSKEY }),
  render: ({ login }) => ({ text: `Removed the passkey of ${login}.` }),
});

const disconnect = operationCommand({
  name: 'admin disconnect',
  summary: 'Disconnect the single sign-on of a member who can sign in otherwise',
  positionals: [PERSON],
  options: [YES],
  notes: [
    'Sessions continue: "kalends admin sign-out" ends them. The last way to sign in cannot be removed.',
  ],
  operation: disconnectIdentity,
  confirmation: aboutMember('Disconnecting the single sign-on of'),
  input: memberIn,
  render: ({ login }) => ({ text: `Disconnected the single sign-on of ${login}.` }),
});

const invitations = operationCommand({
  name: 'admin invitations',
  summary: 'List open invitations and reset links, and their creators',
  notes: [
    'The link of a member works only while that member is an owner, and that of an admin key only while the key is valid. Links of the command line and of older versions have no creator.',
  ],
  operation: listInvitations,
  input: () => ({}),
  render: ({ subjects }) =>
    listOutput(
      INVITATION,
      { columns: INVITATION.map(({ name }) => name), none: 'No open invitations or reset links.' },
      subjects,
    ),
});

const withdraw = operationCommand({
  name: 'admin withdraw',
  summary: 'Withdraw an invitation: its link no longer works',
  positionals: [{ name: 'INVITATION', doc: 'The id of a link, see `admin invitations`.' }],
  operation: withdrawOperation,
  input: ({ positionals }) => ({ invitation_id: positionals.INVITATION }),
  render: () => ({ text: 'The link no longer works.' }),
});

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
