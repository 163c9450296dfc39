/** The system page: first the problems, then instances, jobs and settings. */
import { APP_NAMES } from '../../access/provider-apps.ts';
import { LOAD_ORDERS } from '../../activity/activity-store.ts';
import { LOAD_PERIODS, type Load, type LoadQuery } from '../../administration/load.ts';
import type { SettingInForce } from '../../config/config.ts';
import { type Html, html } from '../../http/html.ts';
import type { RunningProgram } from '../../system/running-program.ts';
import { type JobCount, MOST_COUNTED } from '../../system/system-store.ts';
import {
  type DashboardMessageKey,
  dashboardMessages as messages,
  numberFormat,
} from '../messages/messages.ts';
import { applicationPath } from './applications.page.ts';
import { addressWith } from './filter-form.page.ts';
import type { Viewer } from './layout.page.ts';
import { headsOf, shareBar, table, top } from './parts.page.ts';
import { alertsSection } from './system-alerts.page.ts';
import { checksSection } from './system-checks.page.ts';
import type { StatusFigures } from './system-figures.ts';
import { ago, instant } from './times.page.ts';

export const SYSTEM = '/dashboard/system';

export const SYSTEM_PAGES = ['status', 'load', 'database', 'keys', 'admin-keys', 'configuration'] as const;
export type SystemPage = (typeof SYSTEM_PAGES)[number];

export const systemPath = (page: SystemPage): string => (page === 'status' ? SYSTEM : `${SYSTEM}/${page}`);

type SystemParts = { readonly page: SystemPage; readonly said: Html | false; readonly content: Html };

/** Renders a system page around its content. */
export function systemContent(program: RunningProgram, { page, said, content }: SystemParts): Html {
  const { version, node, engine } = program;
  const lead = messages.text('system.lead', {
    version,
    node,
    engine: messages.text(`system.engine.${engine}`),
  });
  const tabs = SYSTEM_PAGES.map(
    (one) =>
      html`<li><a href="${systemPath(one)}"${one === page && html` aria-current="page"`}>${messages.text(`system.page.${one}`)}</a></li>
`,
  );
  return html`${top(messages.text('system.title'), lead)}
<nav class="tabs" aria-label="${messages.text('system.pages')}"><ul>${tabs}</ul></nav>
${said}
${content}`;
}

export const configurationSection = (program: RunningProgram): Html =>
  html`<h2>${messages.text('system.settings')}</h2>
<p class="hint">${messages.text('system.settings.hint')}</p>
${settings(program)}`;

export const statusSections = (figures: StatusFigures, viewer: Viewer): Html =>
  html`${checksSection(figures.checks, viewer, SYSTEM)}
${alertsSection(figures, viewer, SYSTEM)}
<h2>${messages.text('system.instances')}</h2>
${instances(figures)}
<h2>${messages.text('system.jobs')}</h2>
${jobs(figures)}
<h2>${messages.text('system.budgets')}</h2>
${budgets(figures)}`;

export function loadSection({ since, applications, ...query }: Load & LoadQuery): Html {
  const link = (change: Partial<LoadQuery>, key: DashboardMessageKey, isCurrent: boolean) =>
    html`<a href="${addressWith(systemPath('load'), { ...query, ...change })}"${isCurrent && html` aria-current="true"`}>${messages.text(key)}</a>`;
  const periods = LOAD_PERIODS.map((period) =>
    link({ period }, `filter.period.${period}`, period === query.period),
  );
  const orders = LOAD_ORDERS.map((by) => link({ by }, `system.load.${by}`, by === query.by));
  const heads = headsOf('system.load', [
    ...(['name', 'requests', 'errors', 'call_ms'] as const),
    ...(['syncs', 'sync_ms', 'deliveries', 'failures'] as const),
  ]);
  const rows = applications.map(({ clientId, name, callMs, syncMs, ...counts }) => {
    const { requests, errors, syncs, deliveries, failures } = counts;
    const application = html`<a href="${applicationPath(clientId)}"><bdi>${name}</bdi></a>`;
    const cells = [requests, errors, seconds(callMs), syncs, seconds(syncMs), deliveries, failures];
    const texts = cells.map((cell) => html`${typeof cell === 'number' ? numberFormat().format(cell) : cell}`);
    return [application, ...texts];
  });
  const numbers = heads.map((_, index) => index).slice(1);
  const none = messages.text('system.load.none');
  return html`<h2>${messages.text('system.load')}</h2>
<p class="hint">${messages.markup('system.load.since', { since: instant(since) })} ${messages.text('system.load.hint')}</p>
<div class="filters"><div class="presets" role="group" aria-label="${messages.text('filter.period')}">${periods}</div>
<div class="presets" role="group" aria-label="${messages.text('system.load.by')}">${orders}</div></div>
${table({ name: 'system.load', heads, rows, none, numbers })}`;
}

const seconds = (ms: number): string =>
  messages.text('system.load.seconds', { seconds: Math.round(ms / 100) / 10 });

function instances({ instances: all, program }: StatusFigures): Html {
  const rows = all.map(({ host, version, role, startedAt, seenAt }) => [
    html`<bdi>${host}</bdi>`,
    html`${version}${version !== program.version && html` <span class="state warn">${messages.text('system.instances.other_version')}</span>`}`,
    html`${messages.text(`system.role.${role}`)}`,
    ago(startedAt),
    ago(seenAt),
  ]);
  return table({
    name: 'system.instances',
    none: messages.text('system.instances.none'),
    heads: headsOf('system.instances', ['host', 'version', 'role', 'started', 'seen']),
    rows,
  });
}

function jobs({ jobs: all }: StatusFigures): Html {
  const rows = all.map((job) => [
    html`${messages.text(`system.job.${job.kind}`)}`,
    count(job.waiting),
    count(job.running),
    job.late === 0 ? count(0) : html`<span class="state warn">${count(job.late)}</span>`,
    oldest(job),
  ]);
  const list = table({
    name: 'system.jobs',
    none: messages.text('system.jobs.none'),
    heads: headsOf('system.jobs', ['kind', 'waiting', 'running', 'late', 'oldest']),
    rows,
    numbers: [1, 2, 3],
  });
  return html`${list}${all.length > 0 && html`<p class="hint">${messages.text('system.jobs.hint')}</p>`}`;
}

const count = (of: number): Html =>
  html`${of >= MOST_COUNTED ? messages.text('system.jobs.at_least', { count: of }) : numberFormat().format(of)}`;

const oldest = ({ oldest: at }: JobCount): Html => (at === undefined ? html`–` : ago(at));

function budgets({ budgets: used }: StatusFigures): Html {
  const rows = used.map(({ kind, appId, share, fullAt }) => {
    const percent = Math.round(share * 100);
    const text = messages.text('system.budgets.percent', { percent });
    return [
      html`${APP_NAMES[kind]}<small class="code"><bdi>${appId}</bdi></small>`,
      html`${text}`,
      shareBar(percent, text),
      ago(fullAt),
    ];
  });
  return table({
    name: 'system.budgets',
    none: messages.text('system.budgets.none'),
    heads: ['system.budgets.app', 'system.budgets.left', 'system.budgets.share', 'system.budgets.whole'],
    rows,
  });
}

/** Lists settings that the operator set before those with default values. */
function settings(program: RunningProgram): Html {
  const [defaults, chosen] = [true, false].map((isDefault) =>
    program.settings.filter(({ from }) => (from === 'default') === isDefault),
  );
  return html`<div class="settings">${settingsTable(chosen ?? [])}
<details class="answer"><summary>${messages.text('system.settings.defaults', { count: defaults?.length ?? 0 })}</summary>
${settingsTable(defaults ?? [])}</details></div>`;
}

function settingsTable(all: readonly SettingInForce[]): Html {
  const rows = all.map(({ name, value, from }) => [
    html`<code>${name}</code>`,
    settingValue(value),
    html`${messages.text(`system.from.${from}`, { name })}`,
  ]);
  return table({
    name: 'system.settings',
    heads: ['system.settings.name', 'system.settings.value', 'system.settings.from'],
    rows,
  });
}

function settingValue(value: string | undefined): Html {
  if (value === undefined)
    return html`<span class="state quiet">${messages.text('system.settings.hidden')}</span>`;
  return value === '' ? html`–` : html`<code><bdi>${value}</bdi></code>`;
}
