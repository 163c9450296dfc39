/** `kalends admin …`: how somebody signs in, their role and sessions, and the invitations that are open. */
import { toDocument, toRows, toTime } from '../administration/documents/field.ts';
import { PERSON_SUMMARY } from '../administration/documents/person.ts';
import { withdrawInvitation } from '../people/invitations.ts';
import {
  changeRole,
  disconnectIdentityOf,
  endSessionsOf,
  namedPerson,
  removePasskeyOf,
} from '../people/people.ts';
import { PERSON, roleOf, said } from './admin-commands.ts';
import type { Command } from './command.ts';
import { confirm, YES } from './confirm.ts';
import { tabulate } from './table.ts';

const show: Command = {
  name: 'admin show',
  summary: 'Show how somebody signs in, and where they are signed in',
  positionals: [PERSON],
  options: [],
  run: ({ positionals }, { withStorage }) =>
    withStorage(async ({ people }) => {
      const person = await namedPerson(positionals.PERSON ?? '', { people });
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
        passkeys: passkeys.map(({ passkeyId, name: called, usedAt }) => ({
          ...{ passkey_id: passkeyId, name: called, last_used_at: toTime(usedAt) },
        })),
        single_sign_on:
          identity === undefined
            ? null
            : { issuer: identity.issuer, subject: identity.subject, role_source: identity.roleSource },
        sessions: sessions.map(({ seenAt, address, browser }) => ({
          ...{ last_used_at: toTime(seenAt), address, browser },
        })),
      };
      return { json, text: tabulate(rows) };
    }),
};

const role: Command = {
  name: 'admin role',
  summary: 'Give somebody another role or other applications',
  positionals: [PERSON],
  options: [
    { name: 'role', value: 'ROLE', doc: '`owner`, `developer` or `viewer`.', required: true },
    { name: 'client', value: 'ID,…', doc: 'The applications a developer works on, separated by commas.' },
  ],
  notes: [
    'A person whose role changes is signed out everywhere, and the links that they created stop working. The only owner stays one.',
  ],
  run: ({ positionals, options }, { withStorage, deps }) =>
    withStorage(async ({ people }) => {
      const person = await namedPerson(positionals.PERSON ?? '', { people });
      const clientIds = typeof options.client === 'string' ? options.client.split(',') : [];
      const change = { personId: person.personId, role: roleOf(options.role), clientIds };
      await said(changeRole('command line', change, { people, now: deps.now }));
      return {
        json: { person_id: person.personId, email: person.login, role: change.role },
        text: `${person.login} is ${change.role} now.`,
      };
    }),
};

const signOut: Command = {
  name: 'admin sign-out',
  summary: 'End all sessions of somebody',
  positionals: [PERSON],
  options: [],
  notes: ['The links that the person created stop working too.'],
  run: ({ positionals }, { withStorage, deps }) =>
    withStorage(async ({ people }) => {
      const person = await namedPerson(positionals.PERSON ?? '', { people });
      const ended = await said(endSessionsOf('command line', person.personId, { people, now: deps.now }));
      return {
        json: { person_id: person.personId, email: person.login, ended },
        text: `${person.login} is signed out everywhere; sessions that ended: ${ended}.`,
      };
    }),
};

const removePasskey: Command = {
  name: 'admin remove-passkey',
  summary: 'Take one passkey of somebody away, such as that of a device that was lost',
  positionals: [PERSON, { name: 'PASSKEY', doc: 'An id of `kalends admin show`.' }],
  options: [YES],
  notes: ['Sessions go on: "kalends admin sign-out" ends them. The last way in stays.'],
  run: (input, context) =>
    context.withStorage(async ({ people }) => {
      const { personId, login } = await namedPerson(input.positionals.PERSON ?? '', { people });
      const passkeyId = input.positionals.PASSKEY ?? '';
      await confirm(`Removing a passkey of ${login}`, input, context);
      await said(removePasskeyOf('command line', { personId, passkeyId }, { people, now: context.deps.now }));
      return {
        json: { removed: true, person_id: personId, passkey_id: passkeyId },
        text: `It signs ${login} in no more.`,
      };
    }),
};

const disconnect: Command = {
  name: 'admin disconnect',
  summary: 'Take the single sign-on of somebody away who has another way in',
  positionals: [PERSON],
  options: [YES],
  notes: ['Sessions go on: "kalends admin sign-out" ends them. The last way in stays.'],
  run: (input, context) =>
    context.withStorage(async ({ people }) => {
      const { personId, login } = await namedPerson(input.positionals.PERSON ?? '', { people });
      await confirm(`Disconnecting the single sign-on of ${login}`, input, context);
      await said(disconnectIdentityOf('command line', personId, { people, now: context.deps.now }));
      return {
        json: { disconnected: true, person_id: personId },
        text: `Single sign-on signs ${login} in no more.`,
      };
    }),
};

const invitations: Command = {
  name: 'admin invitations',
  summary: 'List the links that still let somebody in, and who created them',
  positionals: [],
  options: [],
  notes: [
    'A link of a member works only while they are an owner. No creator is shown for links of the command line and of versions that did not store it.',
  ],
  run: (_, { withStorage, deps }) =>
    withStorage(async ({ people }) => {
      const open = await people.listInvitations(deps.now());
      const rows = open.map(({ invitationId, purpose, login, role: given, creator, expiresAt }) => [
        ...[invitationId, purpose, login ?? 'anybody', given, creator ?? '-'],
        new Date(expiresAt).toISOString(),
      ]);
      const json = open.map(({ invitationId, purpose, login, role: given, creator, expiresAt }) => ({
        ...{ invitation_id: invitationId, purpose, email: login ?? null, role: given },
        created_by: creator ?? null,
        expires_at: toTime(expiresAt),
      }));
      const table = tabulate([['ID', 'FOR', 'E-MAIL', 'ROLE', 'CREATED BY', 'ENDS'], ...rows]);
      return { json: { invitations: json }, text: open.length === 0 ? 'No link is open.' : table };
    }),
};

const withdraw: Command = {
  name: 'admin withdraw',
  summary: 'Withdraw an invitation: its link no longer works',
  positionals: [{ name: 'INVITATION', doc: 'An id of `kalends admin invitations`.' }],
  options: [],
  run: ({ positionals }, { withStorage, deps }) =>
    withStorage(async ({ people }) => {
      const id = positionals.INVITATION ?? '';
      await said(withdrawInvitation('command line', id, { people, now: deps.now }));
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
