/** The page that selects the calendars of an account for the application. */
import { withBreakPoints } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { AccountView } from '../accounts/account-views.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { accountPath, selectionPath } from '../flow/paths.ts';
import type { Messages } from '../messages/messages.ts';
import type { Appearance } from './appearance.ts';
import { layout } from './layout.page.ts';
import { applicationHeader, applicationName, backLink, formFields } from './parts.page.ts';

export type CalendarChoice = {
  readonly calendarKey: string;
  readonly title: string;
  readonly color: string | undefined;
  readonly isChosen: boolean;
};

export type CalendarsForm = {
  readonly request: AuthorizationRequest;
  readonly account: AccountView;
  readonly onlyThese: boolean;
  readonly calendars: readonly CalendarChoice[];
};

const FORM = 'calendars';

export function calendarsPage(form: CalendarsForm, appearance: Appearance): Page {
  const { request, account, calendars } = form;
  const { messages } = appearance;
  const title = messages.text('selection.choose');
  const app = applicationName(appearance.displayName, messages);
  const name = html`<bdi>${withBreakPoints(account.name)}</bdi>`;
  const content = html`${backLink(selectionPath(request), messages)}
${applicationHeader(request, appearance)}
<h1>${title}</h1>
<p class="lead">${messages.markup('calendars.lead', { app })}</p>
<form id="${FORM}" class="choices" method="post" action="/connect/calendars">${formFields(request)}<input type="hidden" name="account" value="${account.accountKey}">
<fieldset><legend>${messages.markup('calendars.of', { account: name })}</legend>
${calendars.map(calendarField)}
${calendars.length === 0 && html`<p class="hint">${messages.text('selection.calendars', { count: 0 })}</p>`}</fieldset>
${laterField(form, messages)}
<div class="actions"><button class="primary">${messages.text('calendars.save')}</button></div>
</form>`;
  const path = accountPath('calendars', request, account.accountKey);
  return layout({ title, content, settings: { request, path } }, appearance);
}

function calendarField({ calendarKey, title, color, isChosen }: CalendarChoice): Html {
  return html`<label class="tickable"><input type="checkbox" name="calendar" value="${calendarKey}"${isChosen && html` checked`}><input type="hidden" name="shown" value="${calendarKey}">${dot(color)}<bdi>${title}</bdi></label>
`;
}

/** Other values are ignored: only `#rrggbb` is safe in an attribute. */
const dot = (color: string | undefined): Html | undefined =>
  color !== undefined && /^#[\da-f]{6}$/i.test(color)
    ? html`<svg class="dot" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true" focusable="false"><circle cx="6" cy="6" r="5.5" fill="${color}"/></svg>`
    : undefined;

function laterField({ onlyThese }: CalendarsForm, messages: Messages): Html {
  return html`<fieldset><legend>${messages.text('calendars.later')}</legend>
<label class="tickable"><input type="radio" name="only_these" value=""${!onlyThese && html` checked`}><span>${messages.text('calendars.later_in')}</span></label>
<label class="tickable"><input type="radio" name="only_these" value="yes"${onlyThese && html` checked`}><span>${messages.text('calendars.later_out')}</span></label></fieldset>`;
}
