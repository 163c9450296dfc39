/** The error page: the problem, how to continue, and who can help (docs/wire.md 4.1). */
import { ICONS, outwardLink, PROVIDER_NAMES, withBreakPoints } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import { SCOPES } from '../../oauth/scope.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import type { ConnectError } from '../flow/connect-error.ts';
import type { Messages } from '../messages/messages.ts';
import type { Appearance } from './appearance.ts';
import type { PageSettings } from './layout.page.ts';
import { layout } from './layout.page.ts';
import { applicationSign, backLink, formFields, markedSign, pageSigns, returnLabel } from './parts.page.ts';

/** Going back to the accounts has its own label, to distinguish it from the application's button beside it. */
const WAYS = { start_again: 'start_again', try_again: 'try_again', back: 'error.back' } as const;

export type ErrorView = {
  readonly error: ConnectError;
  /** The request that this browser may continue or has answered. It leads back to the application. */
  readonly request: AuthorizationRequest | undefined;
  /** The id by which the operator finds an internal error in the log. */
  readonly reference: string;
  /** The address that shows the page in another language or color scheme. */
  readonly settings: PageSettings | undefined;
};

export function errorPage({ error, request, reference, settings }: ErrorView, appearance: Appearance): Page {
  const { messages, serviceName } = appearance;
  const { back, link, parameter, provider } = error.context;
  const names = provider === undefined ? {} : { provider: PROVIDER_NAMES[provider] };
  const title = messages.text(error.title, names);
  const code = parameter === undefined ? {} : { parameter: renderInlineCode(parameter) };
  const values = html`${SCOPES.map((scope, index) => html`${index > 0 && ', '}${renderInlineCode(scope)}`)}`;
  const content = html`${back !== undefined && backLink(back, messages)}
${errorSign(error, appearance)}
<h1>${title}</h1>
<p class="lead">${messages.markup(error.text, { ...names, ...code, values, service: serviceName })}</p>
${link !== undefined && administratorLink(link, messages)}
${waysForward(error, request, appearance)}
<div class="help"><p>${helpText(appearance)}</p>
${error.status >= 500 && html`<p>${messages.markup('error.reference', { reference: renderInlineCode(reference) })}</p>`}
</div>`;
  return layout({ title, content, settings }, appearance);
}

const renderInlineCode = (word: string): Html => html`<code dir="ltr">${word}</code>`;

/** Renders the application's sign, if it is known, with a mark for a problem or for success. */
function errorSign({ kind }: ConnectError, appearance: Appearance): Html {
  const mark = kind === 'finished' ? 'done' : 'trouble';
  const hasAppearance = appearance.displayName !== undefined || appearance.branding.logo !== undefined;
  const sign = html`<span class="sign ${mark}">${ICONS[mark]}</span>`;
  return pageSigns(hasAppearance ? markedSign(applicationSign(appearance), mark) : sign);
}

function administratorLink(link: string, messages: Messages): Html {
  const copied = messages.text('error.admin_copied');
  return html`<div class="handover">${outwardLink(link, html`${messages.text('error.admin_link')}`)}
<button type="button" class="small" hidden data-copy="${link}" data-copied="${copied}">${messages.text('error.admin_copy')}</button></div>`;
}

function waysForward(
  { kind, context: { wayBack } }: ConnectError,
  request: AuthorizationRequest | undefined,
  appearance: Appearance,
): Html {
  const { messages } = appearance;
  if (wayBack === undefined && request === undefined) {
    return html`<p class="lead">${messages.text('error.forward')}</p>`;
  }
  // A finished request leads back to the application first, any other one continues here.
  const isOver = kind === 'finished';
  const here = (rank: string) =>
    wayBack &&
    html`<p class="way"><a class="button${rank}" href="${wayBack.path}">${messages.text(WAYS[wayBack.label])}</a></p>`;
  const there = (rank: string) =>
    request &&
    html`<form class="way" method="post" action="${returnAction(request)}">${formFields(request)}<button class="${rank}">${returnLabel(appearance)}</button></form>`;
  return isOver
    ? html`${there('primary')}
${here('')}`
    : html`${here(' primary')}
${there('quiet')}`;
}

/** A repeated answer has the same result (connect-flow.ts); an open request is denied. */
const returnAction = ({ status }: AuthorizationRequest): string =>
  status === 'approved' ? '/connect/approve' : '/connect/cancel';

/** Only the application knows its users, so it helps them. */
function helpText({ facts, displayName, messages }: Appearance): Html {
  const { supportEmail, supportUrl } = facts;
  const write =
    supportEmail !== undefined &&
    html`<a href="mailto:${encodeURIComponent(supportEmail).replaceAll('%40', '@')}"><bdi>${withBreakPoints(supportEmail)}</bdi></a>`;
  const visit =
    supportUrl !== undefined &&
    outwardLink(supportUrl, html`<bdi>${withBreakPoints(parseHost(supportUrl))}</bdi>`);
  if (write && visit) return messages.markup('error.help_both', { contact: write, page: visit });
  if (write) return messages.markup('error.help_email', { contact: write });
  if (visit) return messages.markup('error.help_url', { contact: visit });
  if (displayName !== undefined) return messages.markup('error.help', { app: displayName });
  return html`${messages.text('error.help_generic')}`;
}

const parseHost = (url: string): string => URL.parse(url)?.host ?? url;
