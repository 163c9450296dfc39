/** The filters above a list: presets, periods, a chip for each active filter, and a form that adds one. All use GET. */
import { icon } from '../../design/icon.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Client } from '../../oauth/client.ts';
import { type DashboardMessageKey, dashboardMessages as messages } from '../messages/messages.ts';

/** The periods of a list that end now, in milliseconds. */
export const PERIODS = {
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 7 * 86_400_000,
  '30d': 30 * 86_400_000,
} as const;

/** Returns the period of the query, or the empty text. */
export const readPeriod = (query: (name: 'period') => string): keyof typeof PERIODS | '' =>
  // Checked by the table itself.
  Object.hasOwn(PERIODS, query('period')) ? (query('period') as keyof typeof PERIODS) : '';

/** Returns `path` with the non-empty values as its query. */
export function addressWith(path: string, values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** A filter of a list: its parameter, its label, and the control that sets it. */
export type ListFilter = {
  readonly name: string;
  readonly label: DashboardMessageKey;
  readonly value: string;
  readonly control: Html;
  /** The value as the chip shows it, by default the value itself. */
  readonly shown?: string | undefined;
};

export type FilterParts = {
  readonly path: string;
  readonly filters: readonly ListFilter[];
  /** Links that set one parameter, such as `state`, and the current one. */
  readonly presets: {
    readonly name: string;
    readonly value: string;
    readonly choices: readonly (readonly [value: string, text: string])[];
  };
  /** The period: one of PERIODS or the empty text. Undefined for a list without periods. */
  readonly period?: string | undefined;
};

/** Returns whether the list has an active filter. */
export const isFiltered = ({ filters, period }: Pick<FilterParts, 'filters' | 'period'>): boolean =>
  Boolean(period) || filters.some(({ value }) => value !== '');

export function filterBar({ path, filters, presets, period }: FilterParts): Html {
  const active = filters.filter(({ value }) => value !== '');
  const values: Readonly<Record<string, string>> = {
    ...Object.fromEntries(active.map(({ name, value }) => [name, value])),
    period: period ?? '',
  };
  const to = (change: Readonly<Record<string, string>>) => addressWith(path, { ...values, ...change });
  const link = (text: string, change: Readonly<Record<string, string>>, isCurrent: boolean) =>
    html`<a href="${to(change)}"${isCurrent && html` aria-current="true"`}>${text}</a>`;
  const chips = active
    .filter(
      ({ name }) => name !== presets.name || !presets.choices.some(([value]) => value === presets.value),
    )
    .map(({ name, label, value, shown = value }) => {
      const text = `${messages.text(label)}: ${shown}`;
      return html`<span class="chip"><bdi>${text}</bdi><a href="${to({ [name]: '' })}" aria-label="${messages.text('filter.remove', { filter: text })}">${icon('x')}</a></span>`;
    });
  const group = (label: DashboardMessageKey, links: readonly Html[]) =>
    html`<div class="presets" role="group" aria-label="${messages.text(label)}">${links}</div>`;
  // The keys of PERIODS.
  const periods = (Object.keys(PERIODS) as (keyof typeof PERIODS)[]).map((one) =>
    link(messages.text(`filter.period.${one}`), { from: '', to: '', period: one }, one === period),
  );
  const hidden = period && html`<input type="hidden" name="period" value="${period}">`;
  return html`<div class="filters">
${group(
  'filter.presets',
  presets.choices.map(([value, text]) => link(text, { [presets.name]: value }, value === presets.value)),
)}
${period !== undefined && group('filter.period', periods)}
${chips}
<details class="popover"><summary class="button small">${icon('plus')}${messages.text('filter.add')}</summary>
<form method="get" action="${path}" class="fields">${hidden}${filters.map(({ control }) => control)}
<div class="buttons"><button class="primary">${messages.text('filter')}</button></div></form></details>
${isFiltered({ filters, period }) && html`<a href="${path}">${messages.text('filter.clear')}</a>`}
</div>`;
}

type Labelled = Omit<ListFilter, 'control'>;
type Typed = Labelled & { readonly example?: string };

type NameOf<Key> = Key extends `filter.${infer Name}` ? Name : never;

/** Returns the filters and the period of a list from its parameters. A filter without a control is a text or a time. */
export function listFilters<Name extends NameOf<DashboardMessageKey>>(
  names: readonly Name[],
  query: (name: string) => string,
  controls: Partial<Record<Name, (filter: Labelled) => ListFilter>>,
): Pick<FilterParts, 'filters' | 'period'> {
  const filters = names
    .filter((name) => name !== 'period')
    .map((name) => {
      const control = controls[name] ?? (name === 'from' || name === 'to' ? timeFilter : textFilter);
      return control({ name, label: `filter.${name}`, value: query(name) });
    });
  return { filters, period: readPeriod(query) };
}

export const textFilter = (filter: Typed): ListFilter => ({
  ...filter,
  control: html`<label>${messages.text(filter.label)}<input name="${filter.name}" value="${filter.value}"${filter.example !== undefined && html` placeholder="${filter.example}"`} maxlength="500" autocomplete="off" autocapitalize="none" spellcheck="false"></label>`,
});

/** Returns a filter by a time in UTC, to the second. */
export const timeFilter = (filter: Labelled): ListFilter => ({
  ...filter,
  shown: filter.value.replace('T', ' '),
  control: html`<label>${messages.text(filter.label)}<input type="datetime-local" step="1" name="${filter.name}" value="${filter.value}"></label>`,
});

export function selectFilter(
  filter: Labelled,
  choices: readonly (readonly [value: string, text: string])[],
): ListFilter {
  const { name, label, value } = filter;
  const options = [['', messages.text('filter.all')] as const, ...choices].map(
    ([one, text]) => html`<option value="${one}"${one === value && html` selected`}>${text}</option>`,
  );
  return {
    ...filter,
    shown: choices.find(([one]) => one === value)?.[1],
    control: html`<label>${messages.text(label)}<select name="${name}">${options}</select></label>`,
  };
}

/** With more applications the field takes an id. */
const MOST_CHOICES = 100;

export function applicationFilter(clients: readonly Client[], value: string): ListFilter {
  const labelled = { name: 'client', label: 'filter.client', value } as const;
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

/** Renders an empty list: why it is empty because of its filters, with a link that clears them. */
export const noMatches = (text: string, path: string): Html =>
  html`<div class="empty">${icon('filter')}<strong>${text}</strong><div class="buttons"><a class="button" href="${path}">${messages.text('filter.clear')}</a></div></div>`;

/** The icons of states. A list repeats them, so they are part of the style. */
export const STATE_ICONS = {
  good: 'check-circle-fill',
  warn: 'alert-fill',
  bad: 'x-circle-fill',
  quiet: 'circle-slash',
} as const;

/** Renders a state as a word, its color and the icon that the page's style gives it. */
export const stateWord = (kind: keyof typeof STATE_ICONS, word: string): Html =>
  html`<span class="state ${kind}">${word}</span>`;
