/** Members: the list, the invitation form, the page of a new link, and one member. */
import { chip, notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Client } from '../../oauth/client.ts';
import type { Passkey } from '../../people/passkey-store.ts';
import { type Person, ROLES, type Role } from '../../people/person.ts';
import type { Invitation, Session } from '../../people/person-store.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { browserName } from './browser-name.ts';
import { postForm, type Viewer } from './layout.page.ts';
import {
  choice,
  command,
  copyable,
  dangerZone,
  field,
  formButtons,
  listEntry,
  nextLink,
  removalPanel,
  table,
  top,
} from './parts.page.ts';
import { passkeyList } from './passkeys.page.ts';
import { identityFacts } from './single-sign-on.page.ts';
import { ago, instant } from './times.page.ts';
import { visibleText } from './visible-text.ts';

/** The maximum number of members and of links on a page. */
export const MEMBERS_ON_PAGE = 20;
const MOST_LINKS = 10;
/** The maximum length of a name in a list. */
const MOST_CHARACTERS = 80;

export type PeopleParts = {
  readonly people: readonly Person[];
  readonly passkeys: ReadonlyMap<string, number>;
  /** The names of applications by their id. */
  readonly names: ReadonlyMap<string, string>;
  readonly invitations: readonly Invitation[];
  readonly nextPath: string | undefined;
  readonly said?: Html | undefined;
};

export function peoplePage(parts: PeopleParts, viewer: Viewer): Html {
  const { people, invitations, nextPath, said } = parts;
  const invite = html`<a class="button primary" href="/dashboard/people/invite">${messages.text('people.invite')}</a>`;
  return html`${top(messages.text('people.title'), messages.text('people.lead'), invite)}
${said !== undefined && notice('done', said, true)}
${table({
  name: 'people.title',
  heads: ['people.name', 'people.role', 'people.applications', 'people.methods', 'people.seen'],
  rows: people.map((person) => personRow(person, parts, viewer)),
})}
${nextLink(nextPath)}
<h2>${messages.text('people.invited')}</h2>
${invitations.length === 0 ? html`<p class="lead">${messages.text('people.invited.none')}</p>` : invitationTable(parts, viewer)}
${invitations.length > MOST_LINKS && html`<p class="hint">${messages.text('people.invited.more', { count: MOST_LINKS })}</p>${command('kalends admin invitations')}`}`;
}

function personRow(person: Person, parts: PeopleParts, viewer: Viewer): Html[] {
  const { personId, name, login, role, hasPassword, identity, seenAt } = person;
  const isSelf = personId === viewer.person.personId;
  const count = parts.passkeys.get(personId) ?? 0;
  const methods = [
    hasPassword && messages.text('people.methods.password'),
    count > 0 && messages.text('people.methods.passkeys', { count }),
    identity !== undefined && messages.text('people.methods.sso'),
  ].filter((method) => method !== false);
  return [
    html`<a href="/dashboard/people/${personId}"><bdi>${visibleText(name, MOST_CHARACTERS)}</bdi></a>${isSelf && html` ${chip(messages.text('people.you'))}`}<small><bdi>${visibleText(login, MOST_CHARACTERS)}</bdi></small>`,
    html`${messages.text(`role.${role}`)}`,
    applicationNames(person, parts),
    html`${methods.join(', ') || messages.text('people.methods.none')}`,
    ago(seenAt),
  ];
}

/** Renders the applications that a member, or an invited person, can see. */
function applicationNames(
  { role, clientIds }: Pick<Person, 'role' | 'clientIds'>,
  { names }: PeopleParts,
): Html {
  if (role !== 'developer') return html`${messages.text('people.applications.all')}`;
  const text = clientIds.map((clientId) => names.get(clientId) ?? clientId).join(', ');
  return html`<bdi>${visibleText(text, MOST_CHARACTERS) || messages.text('people.applications.none')}</bdi>`;
}

export const renderCreator = (creator: Invitation['creator']): Html =>
  creator === undefined ? html`${messages.text('people.invited.by.none')}` : html`<bdi>${creator}</bdi>`;

function invitationTable(parts: PeopleParts, viewer: Viewer): Html {
  const rows = parts.invitations.slice(0, MOST_LINKS).map((invitation) => {
    const { invitationId, purpose, role, login, creator, expiresAt } = invitation;
    const who = login ?? messages.text('people.invited.anybody');
    const label = `${messages.text('people.invited.withdraw')}: ${who}`;
    const button = html`<button class="small" aria-label="${label}">${messages.text('people.invited.withdraw')}</button>`;
    return [
      html`<bdi>${who}</bdi><small>${messages.text(`purpose.${purpose}`)}</small>`,
      html`${messages.text(`role.${role}`)}`,
      purpose === 'reset' ? html`–` : applicationNames(invitation, parts),
      renderCreator(creator),
      ago(expiresAt),
      html`<div class="row-actions">${postForm(viewer, `/dashboard/people/invitations/${invitationId}/withdraw`, button)}</div>`,
    ];
  });
  return table({
    name: 'people.invited',
    heads: [
      ...(['people.invited.for', 'people.role', 'people.applications', 'people.invited.by'] as const),
      'people.invited.ends',
      html`<span class="unseen">${messages.text('people.invited.withdraw')}</span>`,
    ],
    rows,
  });
}

export type InviteParts = {
  readonly applications: readonly Client[];
  readonly login?: string;
  readonly role?: Role;
  readonly chosen?: readonly string[];
  readonly problem?: string | undefined;
  readonly isMailed: boolean;
};

export function invitePage(parts: InviteParts, viewer: Viewer): Html {
  const { applications, login = '', role = 'developer', chosen = [], problem, isMailed } = parts;
  const hint = messages.text(isMailed ? 'invite_form.login.mailed' : 'invite_form.login.hint');
  const form = html`<div class="fields">
${field({ name: 'login', label: messages.text('invite_form.login'), type: 'email', value: login, hint, problem, isOptional: true, isFirst: true, maxLength: 200 })}
${roleFields(role)}
${applicationFields(applications, chosen)}
</div>${
    isMailed
      ? html`<div class="buttons"><button class="primary">${messages.text('invite_form.send')}</button>${linkButton('invite_form.do')}
<a class="button" href="/dashboard/people">${messages.text('cancel')}</a></div>`
      : formButtons(messages.text('invite_form.do'), '/dashboard/people')
  }`;
  return html`${top(messages.text('invite_form.title'), undefined)}
<div class="panel">${postForm(viewer, '/dashboard/people/invite', form)}</div>`;
}

/** Renders the button that asks for the link itself instead of a mail. */
const linkButton = (key: 'invite_form.do' | 'person.reset.do'): Html =>
  html`<button name="link" value="shown">${messages.text(key)}</button>`;

export function roleFields(chosen: Role): Html {
  const choices = ROLES.map((role) => {
    const input = { type: 'radio', name: 'role', value: role, isPicked: role === chosen } as const;
    return choice(input, messages.text(`role.${role}`), messages.text(`role.${role}.about`));
  });
  return html`<fieldset><legend>${messages.text('invite_form.role')}</legend>${choices}</fieldset>`;
}

export function applicationFields(applications: readonly Client[], chosen: readonly string[]): Html {
  const choices = applications.map(({ clientId, name }) => {
    const isPicked = chosen.includes(clientId);
    const input = { type: 'checkbox', name: 'application', value: clientId, isPicked } as const;
    return choice(input, html`<bdi>${name}</bdi>`, html`<small class="code">${clientId}</small>`);
  });
  const none = html`<p class="hint">${messages.text('invite_form.applications.none')}</p>`;
  return html`<fieldset><legend>${messages.text('invite_form.applications')}</legend>${applications.length === 0 ? none : choices}</fieldset>`;
}

export type LinkParts = {
  readonly url: string;
  readonly who: string | undefined;
  readonly expiresAt: number;
  /** Why the link was not mailed, as a sentence. */
  readonly mailError: string | undefined;
};

/** Renders a new link. It is not stored and cannot be shown again. */
export function linkPage({ url, who, expiresAt, mailError }: LinkParts): Html {
  const lead = messages.markup('link.lead', {
    who: who ?? messages.text('link.who'),
    until: instant(expiresAt),
  });
  return html`${top(messages.text('link.title'), lead)}
${mailError !== undefined && notice('trouble', html`${messages.text('link.not_mailed', { problem: mailError })}`, true)}
<div class="panel">${copyable('link', url)}
<div class="buttons"><a class="button primary" href="/dashboard/people">${messages.text('link.done')}</a></div></div>`;
}

export type PersonParts = {
  readonly person: Person;
  readonly passkeys: readonly Passkey[];
  readonly sessions: readonly Session[];
  readonly applications: readonly Client[];
  readonly said: Html | undefined;
  readonly problem: string | undefined;
  readonly isMailed: boolean;
};

export function personPage(parts: PersonParts, viewer: Viewer): Html {
  const { person, applications, said, problem, isMailed } = parts;
  const reset = html`${isMailed && html`<button>${messages.text('person.reset.send')}</button> `}${linkButton('person.reset.do')}`;
  const { personId, name, login, role, clientIds, identity } = person;
  const path = `/dashboard/people/${personId}`;
  const change = html`<div class="fields">${roleFields(role)}${applicationFields(applications, clientIds)}</div>
<p class="hint">${messages.text('person.role.note')}</p>
<div class="buttons"><button class="primary">${messages.text('save')}</button></div>`;
  const followsClaims = identity?.roleSource === 'claims';
  const claimed = html`<p class="lead">${messages.text(`role.${role}`)}</p><p class="hint">${messages.text('sso.role_from_claims')}</p>`;
  const panel = (title: string, text: string, form: Html) =>
    html`<section class="panel"><h2>${title}</h2><p class="lead">${text}</p><div class="buttons">${form}</div></section>`;
  return html`${top(html`<bdi>${name}</bdi>`, html`<bdi>${login}</bdi>`)}
${said !== undefined && notice('done', said, true)}${problem !== undefined && notice('trouble', html`${problem}`, true)}
<section class="panel"><h2>${messages.text('person.role')}</h2>${followsClaims ? claimed : postForm(viewer, `${path}/role`, change)}</section>
${accessPanels(parts, viewer)}
${panel(messages.text('person.reset'), messages.text('person.reset.text'), postForm(viewer, `${path}/reset`, reset))}
${dangerZone([{ title: messages.text('person.remove'), text: messages.text('person.remove.text'), path: `${path}/remove` }])}`;
}

export function removePersonPage({ personId, name, login }: Person, viewer: Viewer): Html {
  return html`${top(messages.markup('person.remove.title', { name }), html`<bdi>${login}</bdi>`)}
${removalPanel('person', { back: `/dashboard/people/${personId}` }, viewer)}`;
}

function accessPanels({ person, passkeys, sessions }: PersonParts, viewer: Viewer): Html {
  const { personId, hasPassword, identity } = person;
  const password = messages.text(hasPassword ? 'person.password' : 'person.no_password');
  const end = html`<button>${messages.text('person.sessions.end')}</button>`;
  const form = postForm(viewer, `/dashboard/people/${personId}/sessions/end`, end);
  const disconnect = postForm(
    viewer,
    `/dashboard/people/${personId}/single-sign-on/remove`,
    html`<button>${messages.text('sso.disconnect')}</button>`,
  );
  return html`<section class="panel"><h2>${messages.text('person.access')}</h2>
<p class="lead">${password} ${messages.text('person.passkeys', { count: passkeys.length })}</p>
${passkeys.length > 0 && passkeyList(passkeys, `/dashboard/people/${personId}/passkeys`, viewer)}
${identity !== undefined && identityFacts(identity)}${identity?.roleSource === 'assigned' && html`<div class="buttons">${disconnect}</div>`}</section>
<section class="panel"><h2>${messages.text('person.sessions')}</h2>
${sessions.length === 0 ? html`<p class="hint">${messages.text('person.sessions.none')}</p>` : html`<ul class="sessions">${sessions.map(sessionItem)}</ul><div class="buttons">${form}</div>`}</section>`;
}

const sessionItem = ({ browser, seenAt, address }: Session): Html =>
  listEntry(
    browserName(browser),
    messages.markup('account.sessions.seen', { when: instant(seenAt), address }),
  );
