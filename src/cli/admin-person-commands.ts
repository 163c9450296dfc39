/** `kalends admin …`: how a member signs in, their role and sessions, and open invitations. */
import { toDocument, toRows, toTime } from '../administration/documents/field.ts';
import { INVITATION, PASSKEY, PERSON_SUMMARY, SESSION } from '../administration/documents/person.ts';
import { withdrawInvitation } from '../people/invitations.ts';
import { changeRole, disconnectIdentityOf, endSessionsOf, removePasskeyOf } from '../people/people.ts';
import { PERSON, roleIn, toCommandError, withMember } from './admin-commands.ts';
import type { Command } from './command.ts';
import { confirm, YES } from './confirm.ts';
import { listResult } from './page-options.ts';
import { tabulate } from './table.ts';

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
      const ended = await toCommandError(endSessionsOf('command line', personId, deps));
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
      await toCommandError(removePasskeyOf('command line', { personId, passkeyId }, deps));
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
      await toCommandError(disconnectIdentityOf('command line', personId, deps));
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
    withStorage(async ({ people }) => {
      const id = positionals.INVITATION ?? '';
      await toCommandError(withdrawInvitation('command line', id, { people, now: deps.now }));
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
