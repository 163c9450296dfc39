/** The system page: first the problems, then instances, jobs and settings. */
import { APP_NAMES } from '../../access/provider-apps.ts';
import type { SettingInForce } from '../../config/config.ts';
import { type Html, html } from '../../http/html.ts';
import type { RunningProgram } from '../../system/running-program.ts';
import { type JobCount, MOST_COUNTED } from '../../system/system-store.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import type { Viewer } from './layout.page.ts';
import { headsOf, shareBar, table, top } from './parts.page.ts';
import { checksSection } from './system-checks.page.ts';
import type { StatusFigures } from './system-figures.ts';
import { ago } from './times.page.ts';

export const SYSTEM = '/dashboard/system';

export const SYSTEM_PAGES = ['status', 'database', 'keys', 'configuration'] as const;
export type SystemPage = (typeof SYSTEM_PAGES)[number];

export const systemPath = (page: SystemPage): string => (page === 'status' ? SYSTEM : `${SYSTEM}/${page}`);

type SystemParts = { readonly page: SystemPage; readonly said: Html | false; readonly content: Html };

const number = new Intl.NumberFormat(messages.language);

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
<h2>${messages.text('system.instances')}</h2>
${instances(figures)}
<h2>${messages.text('system.jobs')}</h2>
${jobs(figures)}
<h2>${messages.text('system.budgets')}</h2>
${budgets(figures)}`;

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
  });
  return html`${list}${all.length > 0 && html`<p class="hint">${messages.text('system.jobs.hint')}</p>`}`;
}

const count = (of: number): Html =>
  html`<span class="count">${of >= MOST_COUNTED ? messages.text('system.jobs.at_least', { count: of }) : number.format(of)}</span>`;

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
