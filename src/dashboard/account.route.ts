/** The member's own account: name, password, passkeys and sessions. */
import type { FastifyReply } from 'fastify';

import { chip, notice } from '../design/parts.page.ts';
import { type Html, html } from '../http/html.ts';
import { canGetAlertMails, confirmAddress, mailAddressLink } from '../people/alert-mails.ts';
import { withdrawOwnResetLink } from '../people/invitations.ts';
import { changePassword } from '../people/people.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { type Person, personNameProblem } from '../people/person.ts';
import type { Invitation, RefusedSignIns, Session } from '../people/person-store.ts';
import { mustBeOn, otherWays } from '../people/single-sign-on.ts';
import { findRelyingParty } from '../people/web-authn.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import { type DashboardRoute, type DashboardVisit, goTo, readCaller } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { browserName } from './pages/browser-name.ts';
import { postForm, type Viewer } from './pages/layout.page.ts';
import { choice, doneText, field, listEntry, top } from './pages/parts.page.ts';
import { type PasskeyParts, passkeyPanel } from './pages/passkeys.page.ts';
import { renderCreator } from './pages/people.page.ts';
import { identityPanel } from './pages/single-sign-on.page.ts';
import { instant } from './pages/times.page.ts';
import { freshPost, get, post } from './routes.ts';

const PATH = '/dashboard/account';

type AccountParts = Omit<PasskeyParts, 'problem'> & {
  readonly sessions: readonly Session[];
  /** The pending reset links of this account. */
  readonly links: readonly Invitation[];
  readonly refusedSignIns: RefusedSignIns;
  readonly current: string;
  readonly usesPasswords: boolean;
  /** Whether this member may use passkeys. */
  readonly hasPasskeyPanel: boolean;
  /** The issuer of single sign-on. Undefined if it is off. */
  readonly issuer: string | undefined;
  readonly said?: Html | undefined;
  readonly nameProblem?: string | undefined;
  readonly passwordProblem?: string | undefined;
  readonly passkeyProblem?: string | undefined;
  /** Whether the member can receive alerts by mail. */
  readonly canGetAlerts: boolean;
  readonly alertProblem?: string | undefined;
};

export async function showAccount(
  visit: DashboardVisit,
  parts: Partial<AccountParts> = {},
  status = 200,
): Promise<FastifyReply> {
  const { http, person, session, refusedSignIns, viewer, show, deps } = visit;
  const [sessions, passkeys, links] = await Promise.all([
    deps.people.listSessions(person.personId),
    deps.people.listPasskeys(person.personId),
    deps.people.listInvitations(deps.now(), person.personId),
  ]);
  const party = findRelyingParty(deps.dashboardUrl);
  const elsewhere = party?.id === http.hostname ? undefined : party?.origin;
  const usesPasskeys = party !== undefined;
  const ways = await otherWays(deps);
  const followsClaims = person.identity?.roleSource === 'claims';
  const details = {
    refusedSignIns,
    usesPasswords: ways.usesPasswords && !followsClaims,
    hasPasskeyPanel: ways.usesPasskeys && !followsClaims,
    issuer: deps.singleSignOn?.provider.issuer,
    canGetAlerts: canGetAlertMails(person, deps),
  };
  const facts = { sessions, links, current: session.sessionId, passkeys, usesPasskeys, elsewhere };
  const content = accountContent({ ...facts, ...details, ...parts }, viewer);
  return show({ title: messages.text('account.title'), content, usesPasskeys }, status);
}

export function accountRoutes(deps: OpenDashboard): DashboardRoute[] {
  const { people } = deps;
  return [
    get(PATH, 'own.manage', (visit) => {
      const alertProblem =
        visit.query('problem') === 'link_ended' ? messages.text('account.alerts.link_ended') : undefined;
      return showAccount(visit, { said: doneText(visit.query('done'), DONE), alertProblem });
    }),
    post(`${PATH}/name`, 'own.manage', async (visit) => {
      const name = visit.field('name').trim();
      const problem = personNameProblem(name);
      if (problem !== undefined) return showAccount(visit, { nameProblem: `The name ${problem}.` }, 400);
      await people.setName(visit.person.personId, name);
      return goTo(visit.reply, `${PATH}?done=name`);
    }),
    freshPost(`${PATH}/password`, 'own.manage', async (visit) => {
      await mustBeOn('usesPasswords', otherWays(deps));
      const member = { ...visit, ...readCaller(visit) };
      const passwordProblem = await changePassword(member, visit.field('password'), visit.deps);
      if (passwordProblem !== undefined) return showAccount(visit, { passwordProblem }, 400);
      return goTo(visit.reply, `${PATH}?done=password`);
    }),
    post(`${PATH}/alerts`, 'own.manage', async ({ reply, person, field }) => {
      await people.setAlertMails(person.personId, field('alerts') === 'on');
      return goTo(reply, `${PATH}?done=alerts`);
    }),
    post(`${PATH}/alerts/link`, 'own.manage', async (visit) => {
      mustGetAlertMails(visit.person, deps);
      const alertProblem = await mailAddressLink(visit.person, deps);
      if (alertProblem !== undefined) return showAccount(visit, { alertProblem }, 400);
      return goTo(visit.reply, `${PATH}?done=link_mailed`);
    }),
    get(`${PATH}/alerts/confirm`, 'own.manage', async (visit) => {
      const isConfirmed = await confirmAddress(visit.person, visit.query('link'), deps);
      if (isConfirmed) return goTo(visit.reply, `${PATH}?done=confirmed`);
      return goTo(visit.reply, `${PATH}?problem=link_ended`);
    }),
    post(`${PATH}/links/:invitationId/withdraw`, 'own.manage', async ({ reply, person, parameter, deps }) => {
      await withdrawOwnResetLink(person, parameter('invitationId'), deps);
      return goTo(reply, `${PATH}?done=withdrawn`);
    }),
    post(`${PATH}/sessions/:sessionId/end`, 'own.manage', async ({ reply, person, parameter }) => {
      await people.endSession(person.personId, parameter('sessionId'));
      return goTo(reply, `${PATH}?done=session`);
    }),
    post(`${PATH}/sessions/end-others`, 'own.manage', async ({ reply, person, session, deps }) => {
      await deps.people.endOtherSessions(person.personId, session.sessionId, deps.by);
      return goTo(reply, `${PATH}?done=session`);
    }),
  ];
}

function mustGetAlertMails(person: Person, deps: OpenDashboard): void {
  if (!canGetAlertMails(person, deps)) throw new PeopleRefusal('not_allowed');
}

const DONE = {
  alerts: 'saved',
  confirmed: 'account.alerts.confirmed',
  link_mailed: 'account.alerts.mailed',
  name: 'saved',
  password: 'account.password.done',
  session: 'account.sessions.ended',
  withdrawn: 'people.withdrawn',
  passkey: 'account.passkeys.added',
  passkey_removed: 'account.passkeys.removed',
  connected: 'sso.connect.done',
  disconnected: 'sso.disconnect.done',
} as const;

function accountContent(parts: AccountParts, viewer: Viewer): Html {
  const { sessions, links, current, said, nameProblem, passwordProblem, refusedSignIns } = parts;
  const { issuer, usesPasswords, hasPasskeyPanel } = parts;
  const { name, login, identity } = viewer.person;
  const nameForm = html`<div class="fields">${field({ name: 'name', label: messages.text('account.name'), value: name, autocomplete: 'name', problem: nameProblem, maxLength: 200 })}</div>
<div class="buttons"><button>${messages.text('account.name.save')}</button></div>`;
  const passwordForm = html`<div class="fields">${field({ name: 'password', label: messages.text('field.new_password'), type: 'password', autocomplete: 'new-password', hint: messages.text('field.password.hint'), problem: passwordProblem, maxLength: 200 })}</div>
<p class="hint">${messages.text('account.password.text')}</p>
<div class="buttons"><button>${messages.text('account.password.do')}</button></div>`;
  return html`${top(messages.text('account.title'), html`<bdi>${login}</bdi>`)}
${said !== undefined && notice('done', said, true)}
${refusedSignIns.count > 0 && notice('trouble', messages.markup('account.refused_sign_ins', { count: refusedSignIns.count, when: instant(refusedSignIns.since) }))}
<section class="panel">${postForm(viewer, `${PATH}/name`, nameForm)}</section>
${usesPasswords && html`<section class="panel"><h2>${messages.text('account.password')}</h2>${postForm(viewer, `${PATH}/password`, passwordForm)}</section>`}
${(hasPasskeyPanel || parts.passkeys.length > 0) && passkeyPanel({ ...parts, problem: parts.passkeyProblem }, viewer)}
${issuer !== undefined && identityPanel({ issuer, identity }, viewer)}
${(parts.canGetAlerts || parts.alertProblem !== undefined) && alertPanel(parts, viewer)}
${links.length > 0 && linkPanel(links, viewer)}
<section class="panel"><h2>${messages.text('account.sessions')}</h2>
<ul class="sessions">${sessions.map((session) => sessionItem(session, current, viewer))}</ul>
${sessions.length > 1 && html`<div class="buttons">${postForm(viewer, `${PATH}/sessions/end-others`, html`<button>${messages.text('account.sessions.end_others')}</button>`)}</div>`}</section>`;
}

function alertPanel({ alertProblem }: AccountParts, viewer: Viewer): Html {
  const { addressConfirmedAt, getsAlertMails, login } = viewer.person;
  const isOn = choice(
    { type: 'checkbox', name: 'alerts', value: 'on', isPicked: getsAlertMails === true },
    messages.text('account.alerts.switch'),
  );
  const form =
    addressConfirmedAt === undefined
      ? postForm(
          viewer,
          `${PATH}/alerts/link`,
          html`<div class="buttons"><button>${messages.text('account.alerts.mail_link')}</button></div>`,
        )
      : postForm(
          viewer,
          `${PATH}/alerts`,
          html`<div class="fields">${isOn}</div><div class="buttons"><button>${messages.text('save')}</button></div>`,
        );
  const key = addressConfirmedAt === undefined ? 'account.alerts.unconfirmed' : 'account.alerts.text';
  return html`<section class="panel"><h2>${messages.text('account.alerts')}</h2><p class="lead">${messages.markup(key, { address: login })}</p>
${alertProblem !== undefined && notice('trouble', html`${alertProblem}`)}${form}</section>`;
}

function linkPanel(links: readonly Invitation[], viewer: Viewer): Html {
  const items = links.map(({ invitationId, creator, createdAt, expiresAt }) => {
    const times = { created: instant(createdAt), until: instant(expiresAt) };
    const facts = messages.markup('account.links.facts', { who: renderCreator(creator), ...times });
    const button = html`<button class="small">${messages.text('people.invited.withdraw')}</button>`;
    return html`<li><div><p>${facts}</p></div>
${postForm(viewer, `${PATH}/links/${invitationId}/withdraw`, button)}</li>`;
  });
  return html`<section class="panel"><h2>${messages.text('account.links')}</h2><p class="lead">${messages.text('account.links.text')}</p>
<ul class="sessions">${items}</ul></section>`;
}

function sessionItem(
  { sessionId, seenAt, address, browser }: Session,
  current: string,
  viewer: Viewer,
): Html {
  const isThis = sessionId === current;
  const description = messages.markup('account.sessions.seen', { when: instant(seenAt), address });
  const button = html`<button class="small">${messages.text('account.sessions.end')}</button>`;
  const mark = isThis && html` ${chip(messages.text('account.sessions.this'))}`;
  const name = html`<strong><bdi>${browserName(browser)}</bdi></strong>${mark}`;
  const end = !isThis && postForm(viewer, `${PATH}/sessions/${sessionId}/end`, button);
  return listEntry(name, description, end);
}
