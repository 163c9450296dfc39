/** `kalends admin …`: who may come into the dashboard. */
import { toDocument, toTable } from '../administration/documents/field.ts';
import { PERSON as MEMBER } from '../administration/documents/person.ts';
import { invite, joinUrl, type MadeLink, makeResetLink, onLocalhost } from '../people/invitations.ts';
import { namedPerson, removePerson } from '../people/people.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { loginOf, ROLES, type Role } from '../people/person.ts';
import {
  type Command,
  CommandError,
  type Context,
  type Positional,
  type Result,
  usageError,
} from './command.ts';
import { confirm, YES } from './confirm.ts';
import { tabulate } from './table.ts';

/** Whom a command is about. */
export const PERSON: Positional = { name: 'PERSON', doc: 'An e-mail address or an id.' };

const inviteCommand: Command = {
  name: 'admin invite',
  summary: 'Make a link with which somebody comes into the dashboard',
  positionals: [
    { name: 'EMAIL', doc: 'For whom. Without it, whoever has the link says theirs.', optional: true },
  ],
  options: [
    { name: 'role', value: 'ROLE', doc: '`owner`, `developer` or `viewer`. Default: `owner`.' },
    {
      name: 'client',
      value: 'ID,…',
      doc: 'The applications a developer works on, separated by commas.',
    },
  ],
  notes: ['The link works once, for a week. Nothing is sent: hand it over in a way that only they can read.'],
  run: ({ positionals, options }, context) =>
    context.withStorage(async ({ people }) => {
      const role = roleOf(options.role);
      const clientIds = typeof options.client === 'string' ? options.client.split(',') : [];
      const login = positionals.EMAIL;
      if (login !== undefined && loginOf(login) === undefined)
        throw usageError(`"${login}" is no e-mail address.`);
      const deps = { people, now: context.deps.now };
      const link = await said(invite('command line', { role, login, clientIds }, deps));
      return linkResult(link, context);
    }),
};

const list: Command = {
  name: 'admin list',
  summary: 'List who may come into the dashboard',
  positionals: [],
  options: [],
  run: (_, { withStorage }) =>
    withStorage(async ({ people }) => {
      const all = await people.listPeople();
      const none = 'Nobody is registered. "kalends admin invite" creates a link for the first member.';
      const table = toTable(MEMBER, ['person_id', 'email', 'name', 'role', 'last_seen_at'], all);
      return {
        json: { people: all.map((person) => toDocument(MEMBER, person)) },
        text: all.length === 0 ? none : tabulate(table),
      };
    }),
};

const remove: Command = {
  name: 'admin remove',
  summary: 'Remove somebody from the dashboard: they are signed out everywhere',
  positionals: [PERSON],
  options: [YES],
  notes: ['The links that the person created stop working too.'],
  run: (input, context) =>
    context.withStorage(async ({ people }) => {
      const person = await namedPerson(input.positionals.PERSON ?? '', { people });
      await confirm(`Removing ${person.login}`, input, context);
      await said(removePerson('command line', person.personId, { people, now: context.deps.now }));
      return {
        json: { removed: true, person_id: person.personId, email: person.login },
        text: `Removed ${person.login}.`,
      };
    }),
};

const reset: Command = {
  name: 'admin reset',
  summary: 'Make a link with which somebody sets a new password',
  positionals: [PERSON],
  options: [],
  notes: [
    'The link works once, for an hour. Using it ends the sessions, passkeys and single sign-on of the person, and the links that they created.',
  ],
  run: ({ positionals }, context) =>
    context.withStorage(async ({ people }) => {
      const { personId } = await namedPerson(positionals.PERSON ?? '', { people });
      const deps = { people, now: context.deps.now };
      const link = await said(makeResetLink('command line', personId, deps));
      if (link === undefined) throw new CommandError('not_found', 'This person was removed just now.');
      return linkResult(link, context);
    }),
};

export const adminCommands: readonly Command[] = [inviteCommand, list, remove, reset];

/** The role that `--role` names. */
export function roleOf(text: string | true | undefined): Role {
  if (text === undefined) return 'owner';
  const role = ROLES.find((one) => one === text);
  if (role === undefined) throw usageError(`--role is ${ROLES.join(', ')}; "${text}" is none of these.`);
  return role;
}

function linkResult({ invitation, token }: MadeLink, context: Context): Result {
  const { dashboardUrl } = context.config();
  if (dashboardUrl === undefined)
    throw new CommandError('dashboard_off', 'There is no dashboard: KALENDS_DASHBOARD is off.');
  const url = joinUrl(onLocalhost(dashboardUrl), token);
  const until = new Date(invitation.expiresAt).toISOString();
  return {
    json: { url, role: invitation.role, email: invitation.login ?? null, expires_at: until },
    text: `${url}\n\nIt works once, until ${until}. It is shown this time only.`,
  };
}

const REASONS: Partial<Record<PeopleRefusal['kind'], string>> = {
  last_owner: 'This is the only owner: invite another one first ("kalends admin invite").',
  last_way:
    'It is their only way in: "kalends admin reset" replaces it with a new one, "kalends admin remove" takes the person away.',
  login_taken: 'Somebody is registered with this address; "kalends admin reset" makes a way back in.',
  not_there: 'There is no such person or invitation.',
  role_from_claims: 'Their role follows single sign-on: it is changed there.',
};

/** What is refused, in words for the terminal. */
export async function said<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (reason) {
    if (!(reason instanceof PeopleRefusal)) throw reason;
    throw new CommandError(reason.kind, REASONS[reason.kind] ?? 'This is refused.');
  }
}
