/** The buttons that connect an account at each provider. */
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import { ICONS, PROVIDER_MARKS, PROVIDER_NAMES } from '../../design/parts.page.ts';
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

/** Renders all providers of this request, smaller if accounts are connected. */
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
  // The state describes the button, but is not part of its name, which never changes.
  const about = html`<small id="${kind}-about" aria-hidden="true">${providerState({ kind, available }, selection, messages)}</small>`;
  const inside = html`${PROVIDER_MARKS[kind]}<span>${label}${about}</span>`;
  if (!available || selection.limit !== undefined) {
    const reason = selection.limit === undefined ? `${kind}-about` : 'limit';
    return html`<li><button type="button" disabled aria-describedby="${reason}">${inside}</button></li>
`;
  }
  // Only providers with their own pages take noticeable time.
  const isElsewhere = kind === 'google' || kind === 'microsoft';
  const working = isElsewhere && html` data-working="${messages.text('working.open', { provider })}"`;
  return html`<li><form method="get" action="/connect/${kind}"${working}>${transactionField(selection.request)}
<button aria-describedby="${kind}-about">${inside}<span class="onward">${ICONS.onward}</span></button></form></li>
`;
}

/** Renders the state of the accounts, or the reason why the provider is unavailable, or its kind. */
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
