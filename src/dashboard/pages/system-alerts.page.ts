/** The alerts of the system page: the newest, their recipients and a test. */
import { type Html, html } from '../../http/html.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { headsOf, table } from './parts.page.ts';
import type { StatusFigures } from './system-figures.ts';
import { ago } from './times.page.ts';

/** Renders the section; `path` is that of the system page. */
export function alertsSection({ alerts, channels }: StatusFigures, viewer: Viewer, path: string): Html {
  const recipients = channels.map(({ recipient }) => recipient).join(', ');
  const test = postForm(
    viewer,
    `${path}/alerts/test`,
    html`<div class="buttons"><button>${messages.text('system.alerts.test')}</button></div>`,
  );
  return html`<h2>${messages.text('system.alerts')}</h2>
${channels.length === 0 ? html`<p class="hint">${messages.text('system.alerts.nobody')}</p>` : html`<p class="hint">${messages.text('system.alerts.sent_to', { recipients })}</p>${test}`}
${alerts.length === 0 ? html`<p class="empty">${messages.text('system.alerts.none')}</p>` : alertTable(alerts)}`;
}

function alertTable(alerts: StatusFigures['alerts']): Html {
  const heads = ['state', 'problem', 'opened', 'resolved'] as const;
  const rows = alerts.map(({ severity, summary, action, openedAt, resolvedAt }) => [
    resolvedAt === undefined
      ? html`<span class="state ${severity === 'critical' ? 'bad' : 'warn'}">${messages.text('system.alerts.open')}</span>`
      : html`<span>${messages.text('system.alerts.over')}</span>`,
    html`<bdi>${summary}</bdi><small><bdi>${action}</bdi></small>`,
    ago(openedAt),
    resolvedAt === undefined ? html`–` : ago(resolvedAt),
  ]);
  return table({ name: 'system.alerts', heads: headsOf('system.alerts', heads), rows });
}
