/** The members page: members, their roles and their one-time links. */
import { invite, makeResetLink, withdrawInvitation } from '../people/invitations.ts';
import { sendLink } from '../people/link-mail.ts';
import {
  changeRole,
  disconnectMemberIdentity,
  endMemberSessions,
  removeMemberPasskey,
  removePerson,
} from '../people/people.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { parseLogin, ROLES, type Role } from '../people/person.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { addressWith } from './pages/filter-form.page.ts';
import { doneText } from './pages/parts.page.ts';
import {
  type InviteParts,
  invitePage,
  linkPage,
  MEMBERS_ON_PAGE,
  peoplePage,
  personPage,
  removePersonPage,
} from './pages/people.page.ts';
import { freshGet, freshPost, get, post } from './routes.ts';

const LIST = '/dashboard/people';
const ONE = `${LIST}/:personId`;

export const peopleRoutes = (deps: OpenDashboard): DashboardRoute[] => [
  list(deps),
  ...inviting(deps),
  ...onePerson(deps),
  ...removingAccess(deps),
];

const list = ({ people, clients, now }: OpenDashboard): DashboardRoute =>
  get(LIST, 'people.manage', async ({ viewer, query, show }) => {
    const [all, passkeys, applications, invitations] = await Promise.all([
      people.listPeople(),
      people.countPasskeys(),
      clients.listClients(),
      people.listInvitations(now()),
    ]);
    const start = all.findIndex(({ personId }) => personId === query('after')) + 1;
    const page = all.slice(start, start + MEMBERS_ON_PAGE);
    const last = all.length > start + MEMBERS_ON_PAGE ? page.at(-1) : undefined;
    const parts = {
      ...{ people: page, passkeys, invitations },
      names: new Map(applications.map(({ clientId, name }) => [clientId, name])),
      nextPath: last && addressWith(LIST, { after: last.personId }),
      said: doneText(query('done'), { withdrawn: 'people.withdrawn', mailed: 'link.mailed' }),
    };
    return show({ title: messages.text('people.title'), content: peoplePage(parts, viewer) });
  });

function inviting(deps: OpenDashboard): DashboardRoute[] {
  const showForm = async ({ show, viewer }: DashboardVisit, parts: Partial<InviteParts>, status = 200) => {
    const applications = await deps.clients.listClients();
    const content = invitePage({ applications, isMailed: deps.mailer !== undefined, ...parts }, viewer);
    return show({ title: messages.text('invite_form.title'), content }, status);
  };
  return [
    freshGet(`${LIST}/invite`, 'people.manage', (visit) => showForm(visit, {})),
    freshPost(`${LIST}/invite`, 'people.manage', async (visit) => {
      const { field, fields } = visit;
      const login = field('login').trim();
      const role = parseRole(field('role'));
      const chosen = fields('application');
      const refuse = (problem: 'bad' | 'taken') => {
        const text = messages.text(`invite_form.login.${problem}`);
        return showForm(visit, { login, role, chosen, problem: text }, 400);
      };
      if (login !== '' && parseLogin(login) === undefined) return refuse('bad');
      const invited = { role, login: login === '' ? undefined : login, clientIds: chosen };
      try {
        return showLink(visit, await invite(toLinkMaker(visit), invited, visit.deps), deps);
      } catch (reason) {
        if (reason instanceof PeopleRefusal && reason.kind === 'login_taken') return refuse('taken');
        throw reason;
      }
    }),
    post(`${LIST}/invitations/:invitationId/withdraw`, 'people.manage', async (visit) => {
      const { reply, person, parameter, deps } = visit;
      await withdrawInvitation(person, parameter('invitationId'), deps);
      return goTo(reply, `${LIST}?done=withdrawn`);
    }),
  ];
}

const toLinkMaker = ({ person, session: { sessionId } }: DashboardVisit) => ({ ...person, sessionId });

type Link = NonNullable<Awaited<ReturnType<typeof makeResetLink>>>;

/** Mails the link unless the form asks for the link itself. If the mail fails, the page has the link. */
async function showLink({ show, field, reply }: DashboardVisit, link: Link, deps: OpenDashboard) {
  const { login: who, expiresAt } = link.invitation;
  const mailer = field('link') === '' ? deps.mailer : undefined;
  const { url, mailError } = await sendLink(link, { ...deps, mailer });
  if (url === undefined) return goTo(reply, `${LIST}?done=mailed`);
  if (mailError !== undefined)
    deps.log.warn({ event: 'link_not_mailed', reason: mailError }, 'A one-time link could not be mailed');
  return show({ title: messages.text('link.title'), content: linkPage({ url, who, expiresAt, mailError }) });
}

/** The notice for each action that an address names. */
const DONE = {
  signed_out: 'person.sessions.ended',
  passkey_removed: 'account.passkeys.removed',
  disconnected: 'sso.disconnect.done',
} as const;

/** The role with the fewest permissions if a form contains anything else. */
const parseRole = (text: string): Role => ROLES.find((role) => role === text) ?? 'viewer';

/** `problem`: why an action failed, as a sentence. */
async function showPerson(
  { parameter, query, viewer, show }: DashboardVisit,
  { people, clients, mailer }: OpenDashboard,
  problem?: string,
) {
  const personId = parameter('personId');
  const person = await people.findPerson(personId);
  if (person === undefined) throw new PeopleRefusal('not_there');
  const [applications, passkeys, sessions] = await Promise.all([
    clients.listClients(),
    people.listPasskeys(personId),
    people.listSessions(personId),
  ]);
  const notice = doneText(query('done'), DONE);
  const content = personPage(
    { person, applications, passkeys, sessions, said: notice, problem, isMailed: mailer !== undefined },
    viewer,
  );
  return show({ title: person.name, content }, problem === undefined ? 200 : 409);
}

function onePerson(deps: OpenDashboard): DashboardRoute[] {
  return [
    get(ONE, 'people.manage', (visit) => showPerson(visit, deps)),
    freshPost(`${ONE}/sessions/end`, 'people.manage', async ({ reply, person, parameter, deps }) => {
      const personId = parameter('personId');
      await endMemberSessions(person, personId, deps);
      return goTo(reply, `${LIST}/${personId}?done=signed_out`);
    }),
    freshPost(`${ONE}/role`, 'people.manage', async ({ reply, person, parameter, field, fields, deps }) => {
      const personId = parameter('personId');
      const change = { personId, role: parseRole(field('role')), clientIds: fields('application') };
      await changeRole(person, change, deps);
      return goTo(reply, LIST);
    }),
    freshPost(`${ONE}/reset`, 'people.manage', async (visit) => {
      const link = await makeResetLink(toLinkMaker(visit), visit.parameter('personId'), visit.deps);
      if (link === undefined) throw new PeopleRefusal('not_there');
      return showLink(visit, link, deps);
    }),
    freshGet(`${ONE}/remove`, 'people.manage', async ({ parameter, viewer, show }) => {
      const person = await deps.people.findPerson(parameter('personId'));
      if (person === undefined) throw new PeopleRefusal('not_there');
      return show({ title: person.name, content: removePersonPage(person, viewer) });
    }),
    freshPost(`${ONE}/remove`, 'people.manage', async ({ reply, person, parameter, deps }) => {
      await removePerson(person, { personId: parameter('personId'), keepsKeys: false }, deps);
      return goTo(reply, LIST);
    }),
  ];
}

/** Routes that remove a member's sign-in methods, one at a time. */
function removingAccess(deps: OpenDashboard): DashboardRoute[] {
  /** If the method is the member's last one, their page shows why it stays. */
  const remove = async (visit: DashboardVisit, done: string, work: (personId: string) => Promise<void>) => {
    const personId = visit.parameter('personId');
    try {
      await work(personId);
    } catch (reason) {
      if (!(reason instanceof PeopleRefusal) || reason.kind !== 'last_way') throw reason;
      return showPerson(visit, deps, messages.text('person.last_way'));
    }
    return goTo(visit.reply, `${LIST}/${personId}?done=${done}`);
  };
  return [
    freshPost(`${ONE}/passkeys/:passkeyId/remove`, 'people.manage', (visit) =>
      remove(visit, 'passkey_removed', (personId) =>
        removeMemberPasskey(visit.person, { personId, passkeyId: visit.parameter('passkeyId') }, visit.deps),
      ),
    ),
    freshPost(`${ONE}/single-sign-on/remove`, 'people.manage', (visit) =>
      remove(visit, 'disconnected', (personId) =>
        disconnectMemberIdentity(visit.person, personId, visit.deps),
      ),
    ),
  ];
}
