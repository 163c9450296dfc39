/** The error page: what happened, the way forward, and who can help (docs/wire.md 4.1). */
import { outwardLink, PROVIDER_NAMES, SIGNS, withBreakPoints } from '../../design/parts.page.ts';
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

/** Back to the accounts is named: beside it is the way back to the application. */
const WAYS = { start_again: 'start_again', try_again: 'try_again', back: 'error.back' } as const;

export type ErrorView = {
  readonly error: ConnectError;
  /** The request this browser may go on with or has answered: it leads back to the application. */
  readonly request: AuthorizationRequest | undefined;
  /** What the operator finds a fault by in the log. */
  readonly reference: string;
  /** Where it can be read in another language or other colours. */
  readonly settings: PageSettings | undefined;
};

/** The page of a refusal or fault, in the words of its kind. */
export function errorPage({ error, request, reference, settings }: ErrorView, appearance: Appearance): Page {
  const { messages, serviceName } = appearance;
  const { back, link, parameter, provider } = error.context;
  const names = provider === undefined ? {} : { provider: PROVIDER_NAMES[provider] };
  const title = messages.text(error.title, names);
  const code = parameter === undefined ? {} : { parameter: codeOf(parameter) };
  const values = html`${SCOPES.map((scope, index) => html`${index > 0 && ', '}${codeOf(scope)}`)}`;
  const content = html`${back !== undefined && backLink(back, messages)}
${errorSign(error, appearance)}
<h1>${title}</h1>
<p class="lead">${messages.markup(error.text, { ...names, ...code, values, service: serviceName })}</p>
${link !== undefined && administratorLink(link, messages)}
${waysForward(error, request, appearance)}
<div class="help"><p>${helpText(appearance)}</p>
${error.status >= 500 && html`<p>${messages.markup('error.reference', { reference: codeOf(reference) })}</p>`}
</div>`;
  return layout({ title, content, settings }, appearance);
}

const codeOf = (word: string): Html => html`<code dir="ltr">${word}</code>`;

/** Whose page it is, once that is known, with a mark that something is wrong, or that all is done. */
function errorSign({ kind }: ConnectError, appearance: Appearance): Html {
  const mark = kind === 'finished' ? 'done' : 'trouble';
  const hasAppearance = appearance.displayName !== undefined || appearance.branding.logo !== undefined;
  const sign = html`<span class="sign ${mark}">${SIGNS[mark]}</span>`;
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
  // Whoever is finished is to go back to the application; everybody else can go on here.
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

/** A repeated answer is sent where the first one was (connect-flow.ts); an open request is given up. */
const returnAction = ({ status }: AuthorizationRequest): string =>
  status === 'approved' ? '/connect/approve' : '/connect/cancel';

/** The application helps its users: nobody else knows them. */
function helpText({ facts, displayName, messages }: Appearance): Html {
  const { supportEmail, supportUrl } = facts;
  const write =
    supportEmail !== undefined &&
    html`<a href="mailto:${encodeURIComponent(supportEmail).replaceAll('%40', '@')}"><bdi>${withBreakPoints(supportEmail)}</bdi></a>`;
  const visit =
    supportUrl !== undefined &&
    outwardLink(supportUrl, html`<bdi>${withBreakPoints(hostOf(supportUrl))}</bdi>`);
  if (write && visit) return messages.markup('error.help_both', { contact: write, page: visit });
  if (write) return messages.markup('error.help_email', { contact: write });
  if (visit) return messages.markup('error.help_url', { contact: visit });
  if (displayName !== undefined) return messages.markup('error.help', { app: displayName });
  return html`${messages.text('error.help_generic')}`;
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;
