/** The database on the system page: its size, its growth, and its backups. */
import { sparkline } from '../../design/charts.ts';
import { notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import { MOST_BACKUPS } from '../../system/backups.ts';
import { DAY_MS } from '../../system/database-growth.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { command, table } from './parts.page.ts';
import type { DatabaseFigures } from './system-figures.ts';
import { ago, instant } from './times.page.ts';

const HOUR_MS = 3_600_000;
const UNITS = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Formats a size in decimal units, as disks are sold. */
export function bytesText(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3) - 1));
  const format = { style: 'unit', unit: UNITS[step] ?? UNITS[0], maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(messages.language, format).format(bytes / 1_000 ** (step + 1));
}

export function databaseSection(figures: DatabaseFigures, viewer: Viewer, path: string): Html {
  return html`<h2>${messages.text('system.database')}</h2>
<dl class="tiles"><div><dt>${messages.text('system.database.size')}</dt><dd>${bytesText(figures.bytes)}</dd></div>
${growth(figures)}</dl>
<h2>${messages.text('system.backups')}</h2>
${figures.backups === undefined ? elsewhere() : backups(figures, viewer, path)}`;
}

function growth({ bytes, sizes }: DatabaseFigures): Html {
  const [first, last] = [sizes[0], sizes.at(-1)];
  if (first === undefined || last === undefined || first === last) {
    return html`<div><dt>${messages.text('system.database.no_growth')}</dt><dd>–</dd></div>`;
  }
  const by = bytes - first.bytes;
  const text = messages.text('system.database.growth', { days: Math.round((last.day - first.day) / DAY_MS) });
  const size = `${by < 0 ? '−' : '+'}${bytesText(Math.abs(by))}`;
  const line = sparkline([...sizes.map((day) => day.bytes), bytes], `${text}: ${size}`);
  return html`<div><dt>${text}</dt><dd>${size} ${line}</dd></div>`;
}

function schedule({ program: { backupEveryMs }, backupFailure }: DatabaseFigures) {
  const hours = (backupEveryMs ?? 0) / HOUR_MS;
  const text =
    backupEveryMs === undefined
      ? messages.text('system.backups.no_schedule')
      : messages.text('system.backups.schedule', { hours });
  const failed =
    backupFailure &&
    notice(
      'trouble',
      messages.markup('system.backups.failed', {
        ...{ when: instant(backupFailure.at), reason: html`<bdi>${backupFailure.reason}</bdi>` },
      }),
    );
  return { text, failed };
}

const elsewhere = (): Html => html`<section class="panel"><p>${messages.text('system.backups.elsewhere')}</p>
${command('pg_dump --format=custom "$KALENDS_DATABASE_URL" > kalends.dump')}
<p class="hint">${messages.text('system.backups.key')}</p></section>`;

function backups(figures: DatabaseFigures, viewer: Viewer, path: string): Html {
  const { backups: all = [], program } = figures;
  const { text, failed } = schedule(figures);
  const folder = program.backups?.folder ?? '';
  const rows = all.map(({ name, bytes, at, isScheduled }) => [
    html`<span class="code">${name}</span>${isScheduled && html` <small>${messages.text('system.backups.scheduled')}</small>`}`,
    html`${bytesText(bytes)}`,
    ago(at),
  ]);
  const list = table({
    name: 'system.backups',
    none: messages.text('system.backups.none'),
    heads: ['system.backups.name', 'system.backups.size', 'system.backups.made'],
    rows,
  });
  const button = html`<button>${messages.text('system.backups.do')}</button>`;
  return html`<p class="hint">${messages.markup('system.backups.hint', { folder: html`<code><bdi>${folder}</bdi></code>`, most: MOST_BACKUPS })} ${messages.text('system.backups.key')}</p>
<p class="hint">${text}</p>${failed ?? false}
<div class="buttons">${postForm(viewer, `${path}/backup`, button)}</div>
${list}`;
}
