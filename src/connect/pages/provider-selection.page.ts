/** The provider-selection page (docs/wire.md 4.1). With one account it is also the consent page. */

import { type NoticeKind, notice, PROVIDER_NAMES } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { Scope } from '../../oauth/scope.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { selectionPath } from '../flow/paths.ts';
import type { MessageKey, Messages } from '../messages/messages.ts';
import type { Appearance } from './appearance.ts';
import { abilities, consentActions, consentTerms } from './consent-content.page.ts';
import { layout } from './layout.page.ts';
import { isAnyLoading, linkedAccounts, otherAccounts } from './linked-accounts.page.ts';
import {
  applicationHeader,
  applicationName,
  cancelForm,
  formFields,
  transactionField,
  verificationNotice,
} from './parts.page.ts';
import { providerChoices } from './provider-choices.page.ts';
import type { Happening, ProviderSelection } from './provider-selection.ts';

export type { Happening, OfferedProvider, ProviderSelection } from './provider-selection.ts';

const HAPPENED: Readonly<Record<Happening['what'], readonly [NoticeKind, MessageKey]>> = {
  disconnected: ['done', 'selection.just_disconnected'],
  disconnected_all: ['done', 'selection.just_disconnected_all'],
  removed: ['done', 'selection.just_removed'],
  chosen: ['done', 'selection.just_chosen'],
  linked: ['done', 'selection.just_linked'],
  other: ['done', 'selection.just_other'],
  confirmed: ['done', 'selection.just_confirmed'],
  cancelled: ['note', 'selection.just_cancelled'],
  not_finished: ['note', 'selection.just_not_finished'],
  unpermitted: ['trouble', 'selection.just_unpermitted'],
  not_this: ['trouble', 'selection.just_not_this'],
};

const LEADS: Readonly<Record<Scope, MessageKey>> = {
  'free-busy': 'selection.lead.free_busy',
  read: 'selection.lead.read',
  'read-write': 'selection.lead.read_write',
};

export function providerSelectionPage(selection: ProviderSelection, appearance: Appearance): Page {
  const { messages } = appearance;
  const { request, accounts, others, ending } = selection;
  const title = messages.text(chooseTitleKey(selection));
  const content = html`${applicationHeader(request, appearance)}
<h1>${title}</h1>
${ending !== 'allow' && html`<p class="lead">${lead(selection, appearance)}</p>`}
${happenedNotice(selection.happened, messages)}
${verificationNotice(appearance)}
${ending === 'allow' && abilities({ request, accounts }, appearance)}
${accounts.length > 0 && linkedAccounts(selection, messages)}
${ending === 'allow' && consentTerms({ request, accounts }, appearance)}
${others.length > 0 && otherAccounts(selection, messages)}
${providerChoices(selection, messages)}
${actions(selection, messages)}`;
  const connects = isAnyLoading(selection, messages);
  return layout(
    { title, content, settings: { request, path: selectionPath(request) }, connects },
    appearance,
  );
}

function chooseTitleKey({ ending, isManaging }: ProviderSelection): MessageKey {
  if (ending === 'allow') return 'consent.title';
  return isManaging ? 'selection.manage_title' : 'selection.title';
}

function lead(selection: ProviderSelection, { messages, displayName, serviceName }: Appearance): Html {
  const { request, accounts, ending, isManaging } = selection;
  if (ending === 'done' && accounts.length === 0) return html`${messages.text('selection.none_left')}`;
  if (isManaging) return html`${messages.text('selection.manage_lead')}`;
  const app = applicationName(displayName, messages);
  return messages.markup(LEADS[request.scope], { app, service: serviceName });
}

/** Focused, so that screen readers read it first: the title may be the same as before. */
function happenedNotice(happened: Happening | undefined, messages: Messages): Html | undefined {
  if (happened === undefined) return undefined;
  const [kind, message] = HAPPENED[happened.what];
  const values = happened.provider === undefined ? {} : { provider: PROVIDER_NAMES[happened.provider] };
  return notice(kind, messages.markup(message, values), true);
}

/** Renders the buttons that leave the page. Programs find them by their labels. */
function actions({ request, ending, others }: ProviderSelection, messages: Messages): Html {
  switch (ending) {
    case 'allow':
      return consentActions(request, messages);
    case 'done':
      return html`<div class="actions">
<form method="post" action="/connect/approve">${formFields(request)}<button class="primary">${messages.text('selection.done')}</button></form>
</div>`;
    case 'continue':
    case 'continue_off': {
      const isOff = ending === 'continue_off';
      const hint = others.length > 0 ? 'selection.continue_hint_confirm' : 'selection.continue_hint';
      return html`${isOff && html`<p class="hint before-actions" id="continue-hint">${messages.text(hint)}</p>`}
<div class="actions">
${continueForm(request, isOff, messages)}
${cancelForm(request, messages)}
</div>`;
    }
    default:
      return ending satisfies never;
  }
}

function continueForm(request: AuthorizationRequest, isOff: boolean, messages: Messages): Html {
  const label = messages.text('selection.continue');
  const button = isOff
    ? html`<button disabled aria-describedby="continue-hint">${label}</button>`
    : html`<button class="primary">${label}</button>`;
  return html`<form method="get" action="/connect/consent">${transactionField(request)}${button}</form>`;
}
