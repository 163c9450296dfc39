/** The providers that an account can be connected at, each with a button that is called the same in every state. */
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import { PROVIDER_MARKS, PROVIDER_NAMES, SIGNS } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { MessageKey, Messages } from '../messages/messages.ts';
import { transactionField } from './parts.page.ts';
import type { OfferedProvider, ProviderSelection } from './provider-selection.ts';

const KINDS: Readonly<Record<ProviderKind, MessageKey>> = {
  google: 'selection.kind.google',
  microsoft: 'selection.kind.microsoft',
  apple: 'selection.kind.apple',
  caldav: 'selection.kind.caldav',
};

/** All that this request offers; beside accounts that are connected they step back. */
export function providerChoices(selection: ProviderSelection, messages: Messages): Html {
  const hasAccounts = selection.accounts.length > 0;
  return html`<h2 id="add">${messages.text(hasAccounts ? 'selection.add_more' : 'selection.add')}</h2>
${selection.limit !== undefined && html`<p class="hint" id="limit">${messages.text('selection.limit_reached', { count: selection.limit })}</p>`}
<ul class="providers${hasAccounts && ' more'}" aria-labelledby="add">
${selection.providers.map((provider) => providerItem(provider, selection, messages))}
</ul>`;
}

function providerItem(
  { kind, available }: OfferedProvider,
  selection: ProviderSelection,
  messages: Messages,
): Html {
  const provider = PROVIDER_NAMES[kind];
  const label = messages.text('selection.connect', { provider });
  // What is said of it describes the button but is no part of its name, which is the same in every state.
  const about = html`<small id="${kind}-about" aria-hidden="true">${providerState({ kind, available }, selection, messages)}</small>`;
  const inside = html`${PROVIDER_MARKS[kind]}<span>${label}${about}</span>`;
  if (!available || selection.limit !== undefined) {
    const reason = selection.limit === undefined ? `${kind}-about` : 'limit';
    return html`<li><button type="button" disabled aria-describedby="${reason}">${inside}</button></li>
`;
  }
  // Only the providers with pages of their own keep anybody waiting.
  const isElsewhere = kind === 'google' || kind === 'microsoft';
  const working = isElsewhere && html` data-working="${messages.text('working.open', { provider })}"`;
  return html`<li><form method="get" action="/connect/${kind}"${working}>${transactionField(selection.request)}
<button aria-describedby="${kind}-about">${inside}<span class="onward">${SIGNS.onward}</span></button></form></li>
`;
}

/** Why it cannot be used, how its accounts stand, or what it is. */
function providerState(
  { kind, available }: OfferedProvider,
  { accounts }: ProviderSelection,
  messages: Messages,
): Html {
  if (!available) return html`${messages.text('selection.unavailable')}`;
  const linked = accounts.filter(({ provider }) => provider === kind);
  if (linked.some(({ isManageable, problem }) => isManageable && problem === 'reconnect')) {
    return html`<span class="state trouble">${messages.text('selection.reconnect')}</span>`;
  }
  if (linked.length === 0) return html`<span class="about-kind">${messages.text(KINDS[kind])}</span>`;
  return html`<span class="state loaded">${messages.text('selection.provider_linked', { count: linked.length })}</span>`;
}
