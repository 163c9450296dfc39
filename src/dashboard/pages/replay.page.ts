/** The confirmation before many deliveries are resent. */
import { type Html, html } from '../../http/html.ts';
import type { Client } from '../../oauth/client.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { DELIVERIES } from './deliveries.page.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { formButtons, top } from './parts.page.ts';
import { instant } from './times.page.ts';

export type ReplayParts = {
  readonly client: Client;
  /** A count above `most` is shown as "more than" `most`. */
  readonly count: number;
  readonly most: number;
  readonly replay: { readonly from: number; readonly to: number };
  /** The form's hidden fields, which describe the same replay. */
  readonly fields: Readonly<Record<string, string>>;
};

export function replayPage({ client, count, most, replay, fields }: ReplayParts, viewer: Viewer): Html {
  const path = `${DELIVERIES}/${encodeURIComponent(client.clientId)}/replay`;
  const back = `${DELIVERIES}?${new URLSearchParams(fields)}`;
  const isMore = count > most;
  const counted = Math.min(count, most);
  const lead = messages.markup('replay.lead', {
    name: client.name,
    from: instant(replay.from),
    to: instant(replay.to),
  });
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const narrowed = ['state', 'user', 'calendar', 'endpoint'].filter((name) => fields[name] !== undefined);
  const form = html`${hidden}${formButtons(messages.text('replay.do', { count: counted }), back)}`;
  const cancel = html`<div class="buttons"><a class="button" href="${back}">${messages.text('cancel')}</a></div>`;
  return html`${top(messages.text('replay.title'), undefined)}
<section class="panel"><h2>${messages.text(isMore ? 'replay.count.more' : 'replay.count', { count: counted })}</h2>
<p class="lead">${lead}</p>
${narrowed.length > 0 && html`<ul class="gone">${narrowed.map((name) => html`<li>${messages.text(`filter.${name as 'state'}`)}: <bdi class="code">${fields[name]}</bdi></li>`)}</ul>`}
<p class="hint">${messages.text('replay.text')}</p>
${count > 0 ? postForm(viewer, path, form) : cancel}</section>`;
}
