/** A member's sign-in methods and sessions, which an owner can remove or end. */
import { type Html, html } from '../../http/html.ts';
import type { Passkey } from '../../people/passkey-store.ts';
import type { Person } from '../../people/person.ts';
import type { Session } from '../../people/person-store.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { browserName } from './browser-name.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { instant } from './parts.page.ts';
import { identityFacts } from './single-sign-on.page.ts';

export type AccessParts = {
  readonly person: Person;
  readonly passkeys: readonly Passkey[];
  readonly sessions: readonly Session[];
};

export function accessPanels({ person, passkeys, sessions }: AccessParts, viewer: Viewer): Html {
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
${passkeys.length > 0 && html`<ul class="sessions">${passkeys.map((passkey) => passkeyItem(passkey, viewer))}</ul>`}
${identity !== undefined && identityFacts(identity)}${identity?.roleSource === 'assigned' && html`<div class="buttons">${disconnect}</div>`}</section>
<section class="panel"><h2>${messages.text('person.sessions')}</h2>
${sessions.length === 0 ? html`<p class="hint">${messages.text('person.sessions.none')}</p>` : html`<ul class="sessions">${sessions.map(sessionItem)}</ul><div class="buttons">${form}</div>`}</section>`;
}

const item = (name: string, facts: Html, action?: Html): Html =>
  html`<li><div><strong><bdi>${name}</bdi></strong><p class="hint">${facts}</p></div>${action}</li>`;

function passkeyItem({ personId, passkeyId, name, createdAt, usedAt }: Passkey, viewer: Viewer): Html {
  const facts = { added: instant(createdAt), used: instant(usedAt) };
  const label = `${messages.text('account.passkeys.remove')}: ${name}`;
  const button = html`<button class="small" aria-label="${label}">${messages.text('account.passkeys.remove')}</button>`;
  const path = `/dashboard/people/${personId}/passkeys/${passkeyId}/remove`;
  return item(name, messages.markup('account.passkeys.facts', facts), postForm(viewer, path, button));
}

const sessionItem = ({ browser, seenAt, address }: Session): Html =>
  item(browserName(browser), messages.markup('account.sessions.seen', { when: instant(seenAt), address }));
