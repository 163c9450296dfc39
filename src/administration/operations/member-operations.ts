/** The operations on members of the dashboard, their invitations and reset links. */
import { flag, oneOf, required, text } from '../../http/fields.ts';
import { ApiError } from '../../http/refusal.ts';
import { invite, makeResetLink, type NewLink, withdrawInvitation } from '../../people/invitations.ts';
import { type SentLink, sendLink } from '../../people/link-mail.ts';
import {
  changeRole,
  disconnectMemberIdentity,
  endMemberSessions,
  readMember,
  removeMemberPasskey,
  removePerson,
} from '../../people/people.ts';
import { PeopleRefusal } from '../../people/people-refusal.ts';
import { mustBeAllowed } from '../../people/permission.ts';
import { type Person, ROLES } from '../../people/person.ts';
import { toDocument, toTime } from '../documents/field.ts';
import { INVITATION, PASSKEY, PERSON, PERSON_SUMMARY, SESSION } from '../documents/person.ts';
import { MEMBERS } from './administration-error.ts';
import {
  type AdministrationDeps,
  type AdminOperation,
  DRY_RUN,
  lists,
  operation,
  PAGE,
  queryFlag,
  texts,
  toPage,
} from './operation.ts';

const PATH = '/members/{person_id}';
const ROW = { group: 'Members', permission: 'people.manage' } as const;

const MEMBER = {
  person_id: required(
    text({ max: 200, doc: 'The id or the e-mail address of the member.', example: 'q3Jc0mZ1T5yW8aLx' }),
  ),
};

/** Returns 1. Throws PeopleRefusal if the object does not exist. */
function countOne(exists: boolean): number {
  if (!exists) throw new PeopleRefusal('not_there');
  return 1;
}

export const listMembers = operation({
  ...{ ...ROW, id: 'listMembers', method: 'get', path: '/members', summary: 'List the members, by name' },
  ...{ pathFields: {}, fields: PAGE, command: 'admin list', ...lists('people', PERSON) },
  async run(page, { actor, people }) {
    mustBeAllowed(actor, 'people.manage');
    return toPage(await people.listPeople(), ({ personId }) => personId, page);
  },
});

export const showMember = operation({
  ...{ ...ROW, id: 'showMember', method: 'get', path: PATH },
  summary: 'Show how a member signs in, and the sessions',
  ...{ pathFields: MEMBER, fields: {}, command: 'admin show' },
  result: [
    ...PERSON_SUMMARY.map(({ name }) => name),
    ...['has_password', 'passkeys', 'single_sign_on', 'sessions'],
  ],
  async run({ person_id: name }, deps) {
    const person = await readMember(deps.actor, name, deps);
    const passkeys = await deps.people.listPasskeys(person.personId);
    return { person, passkeys, sessions: await deps.people.listSessions(person.personId) };
  },
  toDocument: ({ person, passkeys, sessions }) => ({
    ...toDocument(PERSON_SUMMARY, person),
    has_password: person.hasPassword,
    passkeys: passkeys.map((passkey) => toDocument(PASSKEY, passkey)),
    single_sign_on: singleSignOn(person.identity),
    sessions: sessions.map((session) => toDocument(SESSION, session)),
  }),
});

const singleSignOn = (identity: Person['identity']) =>
  identity ? { issuer: identity.issuer, subject: identity.subject, role_source: identity.roleSource } : null;

export const updateMember = operation({
  ...{ ...ROW, id: 'updateMember', method: 'patch', path: PATH },
  summary: 'Change the role or the applications of a member',
  description: 'A change of the role ends the sessions of the member, and the links that they created.',
  errors: [MEMBERS.last_owner, MEMBERS.role_from_claims],
  pathFields: MEMBER,
  fields: {
    role: oneOf(ROLES, { doc: 'The new role.', example: 'developer' }),
    client_ids: texts('The applications of a developer, which replace the previous ones.'),
  },
  ...{ command: 'admin role', result: ['person_id', 'email', 'role'] },
  async run({ person_id: name, role, client_ids: clientIds }, deps) {
    const person = await readMember(deps.actor, name, deps);
    const { personId, role: before } = person;
    const change = { personId, role: role ?? before, clientIds: clientIds ?? person.clientIds };
    await changeRole(deps.actor, change, deps);
    return { ...person, role: change.role };
  },
  toDocument: ({ personId, login, role }) => ({ person_id: personId, email: login, role }),
});

export const removeMember = operation({
  ...{ ...ROW, id: 'removeMember', method: 'delete', path: PATH },
  summary: 'Remove a member and end all their sessions',
  description: 'A dry run has `keys`: the number of admin keys that the member created.',
  errors: [MEMBERS.last_owner, MEMBERS.own_creator],
  pathFields: MEMBER,
  fields: {
    ...DRY_RUN,
    keep_keys: queryFlag(
      '`true`: the caller becomes the creator of the admin keys of the member, which otherwise end.',
    ),
  },
  ...{ command: 'admin remove', result: ['removed', 'person_id', 'email', 'keys'] },
  async run({ person_id: name, dry_run: isDryRun = false, keep_keys: keepsKeys = false }, deps) {
    const { personId, login } = await readMember(deps.actor, name, deps);
    const keys = isDryRun ? await deps.adminKeys.listKeys(deps.now()) : undefined;
    if (!isDryRun) await removePerson(deps.actor, { personId, keepsKeys }, deps);
    return { personId, login, keys: keys?.filter(({ creatorId }) => creatorId === personId).length };
  },
  toDocument: ({ personId, login, keys }) => ({
    ...{ removed: keys === undefined, person_id: personId, email: login, keys },
  }),
});

export const endSessions = operation({
  ...{ ...ROW, id: 'endMemberSessions', method: 'delete', path: `${PATH}/sessions` },
  summary: 'End all sessions of a member',
  description: 'The links that the member created stop working too.',
  ...{ pathFields: MEMBER, fields: DRY_RUN, command: 'admin sign-out' },
  ...{ result: ['person_id', 'email', 'ended'], counted: 'sessions' },
  async count({ person_id: name }, deps) {
    const { personId } = await readMember(deps.actor, name, deps);
    return (await deps.people.listSessions(personId)).length;
  },
  async run({ person_id: name }, deps) {
    const { personId, login } = await readMember(deps.actor, name, deps);
    return { personId, login, ended: await endMemberSessions(deps.actor, personId, deps) };
  },
  toDocument: ({ personId, login, ended }) => ({ person_id: personId, email: login, ended }),
});

export const removePasskey = operation({
  ...{ ...ROW, id: 'removeMemberPasskey', method: 'delete', path: `${PATH}/passkeys/{passkey_id}` },
  summary: 'Remove a passkey of a member',
  description: 'Sessions continue. The last way to sign in cannot be removed.',
  errors: [MEMBERS.last_way],
  pathFields: { ...MEMBER, passkey_id: required(text({ max: 2_000, doc: 'The id of the passkey.' })) },
  fields: DRY_RUN,
  ...{ command: 'admin remove-passkey', result: ['removed', 'person_id', 'passkey_id'] },
  counted: 'passkeys',
  async count({ person_id: name, passkey_id: id }, deps) {
    const { personId } = await readMember(deps.actor, name, deps);
    const passkeys = await deps.people.listPasskeys(personId);
    return countOne(passkeys.some(({ passkeyId }) => passkeyId === id));
  },
  async run({ person_id: name, passkey_id: passkeyId }, deps) {
    const { personId, login } = await readMember(deps.actor, name, deps);
    await removeMemberPasskey(deps.actor, { personId, passkeyId }, deps);
    return { personId, login, passkeyId };
  },
  toDocument: ({ personId, passkeyId }) => ({ removed: true, person_id: personId, passkey_id: passkeyId }),
});

export const disconnectIdentity = operation({
  ...{ ...ROW, id: 'disconnectMemberIdentity', method: 'delete', path: `${PATH}/identity` },
  summary: 'Disconnect the single sign-on of a member who can sign in otherwise',
  description: 'Sessions continue. The last way to sign in cannot be removed.',
  errors: [MEMBERS.last_way, MEMBERS.role_from_claims],
  ...{ pathFields: MEMBER, fields: DRY_RUN, command: 'admin disconnect' },
  ...{ result: ['disconnected', 'person_id'], counted: 'identities' },
  count: async ({ person_id: name }, deps) =>
    countOne((await readMember(deps.actor, name, deps)).identity !== undefined),
  async run({ person_id: name }, deps) {
    const { personId, login } = await readMember(deps.actor, name, deps);
    await disconnectMemberIdentity(deps.actor, personId, deps);
    return { personId, login };
  },
  toDocument: ({ personId }) => ({ disconnected: true, person_id: personId }),
});

/** The fields of an operation that creates a link. */
const LINK = { link: flag({ doc: '`true`: the response has the link, and nothing is mailed.' }) };
const LINK_RESULT = ['mailed', 'url', 'role', 'email', 'expires_at', 'mail_error'];

export type CreatedLink = NewLink['invitation'] & SentLink;

/** Creates a link and mails it, if a mail server is set and `link` is false. Throws 409 if the dashboard is off. */
async function createLink(
  isShown: boolean | undefined,
  create: () => Promise<NewLink | undefined>,
  { addresses, mailer }: Pick<AdministrationDeps, 'addresses' | 'mailer'>,
): Promise<CreatedLink> {
  const { dashboardUrl } = await addresses();
  if (dashboardUrl === undefined) throw new ApiError(MEMBERS.dashboard_off);
  const link = await create();
  if (link === undefined) throw new PeopleRefusal('not_there');
  const sent = await sendLink(link, { mailer: isShown === true ? undefined : mailer, dashboardUrl });
  return { ...link.invitation, ...sent };
}

const linkDocument = ({ url, mailError, role, login, expiresAt }: CreatedLink) => ({
  ...(url === undefined ? { mailed: true } : { url }),
  ...{ role, email: login ?? null, expires_at: toTime(expiresAt) },
  ...(mailError !== undefined && { mail_error: mailError }),
});

export const createResetLink = operation({
  ...{ ...ROW, id: 'createResetLink', method: 'post', path: `${PATH}/reset-links`, status: 201 },
  summary: 'Create a reset link, with which a member sets a new password',
  description:
    'The link works once, for an hour. With a mail server Kalends mails it. `mail_error` says why it could not.',
  errors: [MEMBERS.dashboard_off, MEMBERS.role_from_claims],
  ...{ pathFields: MEMBER, fields: LINK, command: 'admin reset', result: LINK_RESULT },
  async run({ person_id: name, link: isShown }, deps) {
    const { personId } = await readMember(deps.actor, name, deps);
    return createLink(isShown, () => makeResetLink(deps.actor, personId, deps), deps);
  },
  toDocument: linkDocument,
});

export const listInvitations = operation({
  ...{ ...ROW, id: 'listInvitations', method: 'get', path: '/invitations' },
  summary: 'List open invitations and reset links, and their creators',
  ...{ pathFields: {}, fields: PAGE, command: 'admin invitations' },
  ...lists('invitations', INVITATION),
  async run(page, { actor, people, now }) {
    mustBeAllowed(actor, 'people.manage');
    return toPage(await people.listInvitations(now()), ({ invitationId }) => invitationId, page);
  },
});

export const createInvitation = operation({
  ...{ ...ROW, id: 'createInvitation', method: 'post', path: '/invitations', status: 201 },
  summary: 'Create an invitation link for the dashboard',
  description:
    'The link works once, for a week, and only while its creator is valid. With `email` and a mail server Kalends mails it.',
  errors: [MEMBERS.login_taken, MEMBERS.dashboard_off],
  pathFields: {},
  fields: {
    role: required(oneOf(ROLES, { doc: 'The role of the new member.', example: 'developer' })),
    email: text({ max: 200, doc: 'The e-mail address; by default, the new member enters it.' }),
    client_ids: texts('The applications of a developer.'),
    ...LINK,
  },
  ...{ command: 'admin invite', result: LINK_RESULT },
  run({ role, email: login, client_ids: clientIds = [], link: isShown }, deps) {
    return createLink(isShown, () => invite(deps.actor, { role, login, clientIds }, deps), deps);
  },
  toDocument: linkDocument,
});

export const withdraw = operation({
  ...{ ...ROW, id: 'withdrawInvitation', method: 'delete', path: '/invitations/{invitation_id}' },
  summary: 'Withdraw an invitation or a reset link: it no longer works',
  pathFields: { invitation_id: required(text({ max: 100, doc: 'The id of the link.' })) },
  ...{ fields: DRY_RUN, command: 'admin withdraw', result: ['withdrawn', 'invitation_id'] },
  counted: 'invitations',
  async count({ invitation_id: id }, { people, now }) {
    const links = await people.listInvitations(now());
    return countOne(links.some(({ invitationId }) => invitationId === id));
  },
  async run({ invitation_id: invitationId }, deps) {
    await withdrawInvitation(deps.actor, invitationId, deps);
    return invitationId;
  },
  toDocument: (invitationId) => ({ withdrawn: true, invitation_id: invitationId }),
});

export const MEMBER_OPERATIONS: readonly AdminOperation[] = [
  ...[listMembers, showMember, updateMember, removeMember, endSessions, removePasskey, disconnectIdentity],
  ...[createResetLink, listInvitations, createInvitation, withdraw],
];
