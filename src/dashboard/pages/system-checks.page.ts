/** The results of the last checks. */
import { type Html, html } from '../../http/html.ts';
import type { Check } from '../../system/doctor-checks.ts';
import type { KeptChecks } from '../../system/system-store.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { table } from './parts.page.ts';
import { instant } from './times.page.ts';
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
${kept === undefined ? html`<p class="empty">${messages.text('system.checks.none')}</p>` : checksTable(kept.checks, viewer, path)}</section>`;
}

/** Renders the button that runs one check again and leads back to that page. */
export const checkAgain = (
  name: string,
  { path, back }: { path: string; back: string },
  viewer: Viewer,
): Html =>
  postForm(
    viewer,
    `${path}/check`,
    html`<input type="hidden" name="check" value="${name}"><input type="hidden" name="back" value="${back}"><button class="small">${messages.text('overview.check.again')}</button>`,
  );

/** Lists problems before checks that passed. */
function checksTable(checks: readonly Check[], viewer: Viewer, path: string): Html {
  const rows = STATES.flatMap((state) => checks.filter(({ status }) => status === state)).map(
    ({ name, status, message }) => [
      html`${name}`,
      html`<span class="state ${LOOKS[status]}">${messages.text(`system.check.${status}`)}</span>`,
      html`<span class="said">${visibleText(message, MOST_CHARACTERS)}</span>${status === 'fail' && checkAgain(name, { path, back: path }, viewer)}`,
    ],
  );
  return table({
    name: 'system.checks',
    heads: ['system.checks.name', 'system.checks.state', 'system.checks.message'],
    rows,
  });
}
