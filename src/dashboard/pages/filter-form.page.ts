/** The filter form above a list. It is sent by GET, so the address contains the whole filter. */
import { type Html, html } from '../../http/html.ts';
import type { Client } from '../../oauth/client.ts';
import { type DashboardMessageKey, dashboardMessages as messages } from '../messages/messages.ts';
import { renderFolded } from './parts.page.ts';

export type FilterFormParts = {
  readonly path: string;
  readonly fields: readonly Html[];
  readonly isUsed: boolean;
};

export const filterForm = ({ path, fields, isUsed }: FilterFormParts): Html =>
  renderFolded(
    messages.text('filter.title'),
    html`<form method="get" action="${path}" class="filter">${fields}
<div class="filter-do"><button class="small">${messages.text('filter')}</button><a class="button small" href="${path}">${messages.text('filter.clear')}</a></div></form>`,
    isUsed,
  );

type Labelled = { readonly name: string; readonly label: DashboardMessageKey; readonly value: string };

export const textFilter = ({ name, label, value }: Labelled): Html =>
  html`<label>${messages.text(label)}<input name="${name}" value="${value}" maxlength="500" autocomplete="off" autocapitalize="none" spellcheck="false"></label>`;

/** Renders a field for a time in UTC, to the second. */
export const timeFilter = ({ name, label, value }: Labelled): Html =>
  html`<label>${messages.text(label)}<input type="datetime-local" step="1" name="${name}" value="${value}"></label>`;

export function selectFilter(
  { name, label, value }: Labelled,
  choices: readonly (readonly [value: string, word: string])[],
): Html {
  const options = [['', messages.text('filter.all')] as const, ...choices].map(
    ([one, word]) => html`<option value="${one}"${one === value && html` selected`}>${word}</option>`,
  );
  return html`<label>${messages.text(label)}<select name="${name}">${options}</select></label>`;
}

/** With more applications the field takes an id. */
const MOST_CHOICES = 100;

export function applicationFilter(clients: readonly Client[], value: string): Html {
  const labelled = { name: 'client', label: 'filter.application', value } as const;
  if (clients.length > MOST_CHOICES) return textFilter(labelled);
  return selectFilter(
    labelled,
    clients.map(({ clientId, name }) => [clientId, name]),
  );
}

export const olderLink = (path: string | undefined): Html | undefined =>
  path === undefined
    ? undefined
    : html`<div class="buttons"><a class="button small" href="${path}">${messages.text('older')}</a></div>`;

export const stateWord = (kind: 'good' | 'bad' | 'warn' | 'quiet', word: string): Html =>
  html`<span class="state ${kind}">${word}</span>`;
