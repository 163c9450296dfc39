/** The results of the last checks, on the system page and, if there is a problem, on the overview. */
import { notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Check } from '../../system/doctor-checks.ts';
import type { KeptChecks } from '../../system/system-store.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { instant, table } from './parts.page.ts';
import { visibleText } from './visible-text.ts';

const STATES = ['fail', 'warn', 'ok'] as const satisfies readonly Check['status'][];
const LOOKS = { fail: 'bad', warn: 'warn', ok: 'good' } as const;
const MOST_CHARACTERS = 1_000;

/** Includes the button that runs the checks again. */
export function checksSection(kept: KeptChecks | undefined, viewer: Viewer, path: string): Html {
  const button = postForm(
    viewer,
    `${path}/check`,
    html`<button class="primary">${messages.text('system.check')}</button>`,
  );
  return html`<section><div class="top"><div><h2>${messages.text('system.checks')}</h2>
<p class="hint">${kept === undefined ? messages.text('system.checks.hint') : messages.markup('system.checks.made', { when: instant(kept.at) })}</p></div>${button}</div>
${kept === undefined ? html`<p class="empty">${messages.text('system.checks.none')}</p>` : checksTable(kept.checks)}</section>`;
}

/** Lists problems before checks that passed. */
function checksTable(checks: readonly Check[]): Html {
  const rows = STATES.flatMap((state) => checks.filter(({ status }) => status === state)).map(
    ({ name, status, message }) => [
      html`${name}`,
      html`<span class="state ${LOOKS[status]}">${messages.text(`system.check.${status}`)}</span>`,
      html`<span class="said">${visibleText(message, MOST_CHARACTERS)}</span>`,
    ],
  );
  const heads = ['name', 'state', 'message'] as const;
  return table({
    name: messages.text('system.checks'),
    heads: heads.map((head) => messages.text(`system.checks.${head}`)),
    rows,
  });
}

/** Returns false if there is no problem or no check has run yet. */
export function checksNotice(kept: KeptChecks | undefined, path: string): Html | false {
  const wrong = (kept?.checks ?? []).filter(({ status }) => status !== 'ok');
  if (kept === undefined || wrong.length === 0) return false;
  const items = wrong.map(
    ({ name, message }) => html`<li><strong>${name}</strong>: ${visibleText(message, MOST_CHARACTERS)}</li>`,
  );
  const summary = messages.markup('system.checks.wrong', { when: instant(kept.at) });
  const isBad = wrong.some(({ status }) => status === 'fail');
  return notice(
    isBad ? 'trouble' : 'note',
    html`<p><a href="${path}">${summary}</a></p><ul class="wrongs">${items}</ul>`,
  );
}
