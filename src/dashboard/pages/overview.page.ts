/** The overview: first the problems, then the activity. */
import type { ConnectionState } from '../../administration/connections.ts';
import { barChart } from '../../design/charts.ts';
import { ICONS } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Person } from '../../people/person.ts';
import { dashboardMessages as messages, numberFormat } from '../messages/messages.ts';
import { APPLICATIONS } from './applications.page.ts';
import { connectionsPath } from './connections.page.ts';
import { stateWord } from './filter-form.page.ts';
import { HEALTH_KINDS } from './health.page.ts';
import type { Viewer } from './layout.page.ts';
import { hasProblems, needsAttention } from './needs-attention.page.ts';
import type { Funnel, FunnelStep, Hour, Overview } from './overview-figures.ts';
import { headsOf, shareBar, table } from './parts.page.ts';
import { REQUESTS } from './requests.page.ts';
import type { UserLinkDeps } from './user-links.ts';

/** Renders the first steps if needed, then the problems, the connections, a week of flows and a day of calls. */
export function overviewContent(overview: Overview, viewer: Viewer, deps: UserLinkDeps): Html {
  const { applications, problems } = overview;
  return html`${isNew(overview) && firstSteps(overview, viewer.person)}
${(applications > 0 || hasProblems(problems)) && needsAttention(problems, viewer, deps)}
${applications > 0 && figures(overview)}`;
}

/** Shows the first steps until a few calendars are connected and something was delivered. */
const isNew = ({ connections, hasDelivered }: Overview): boolean =>
  connections.count === 0 || (!hasDelivered && connections.count < 10);

function firstSteps({ applications, connections, hasDelivered }: Overview, { role }: Person): Html {
  const steps = [
    { name: 'application', isDone: applications > 0, path: `${APPLICATIONS}/new`, is: role === 'owner' },
    { name: 'user', isDone: connections.count > 0, path: APPLICATIONS, is: applications > 0 },
    { name: 'delivery', isDone: hasDelivered, path: APPLICATIONS, is: connections.count > 0 },
  ] as const;
  const next = steps.find(({ isDone }) => !isDone);
  const items = steps.map((step) => {
    const { name, isDone, path, is } = step;
    const state = isDone ? messages.text('overview.steps.done') : '';
    return html`<li${isDone && html` class="done"`}><h3>${messages.text(`overview.steps.${name}`)}${isDone && html`<span class="state">${ICONS.tick}${state}</span>`}</h3>
<p>${messages.text(`overview.steps.${name}.text`)}</p>
${is && step === next && html`<div class="buttons"><a class="button primary" href="${path}">${messages.text(`overview.steps.${name}.do`)}</a></div>`}</li>
`;
  });
  return html`<section class="panel first-steps"><h2>${messages.text('overview.steps')}</h2>
<ol>${items}</ol></section>`;
}

function figures({ connections, ailing, funnel, hours }: Overview): Html {
  const inState = (state: 'degraded' | 'reauth_required') =>
    ailing.reduce((sum, one) => sum + (one.state === state ? one.count : 0), 0);
  const [degraded, reauth] = [inState('degraded'), inState('reauth_required')];
  const tile = (state: ConnectionState, number: number, isAbout = false) =>
    html`<div><dt><a href="${connectionsPath({ state })}">${tileLabel(state)}</a></dt><dd>${isAbout && html`<abbr title="${messages.text('overview.about')}">≈</abbr>`}${numberFormat().format(number)}</dd></div>`;
  const { count, isExact } = connections;
  const working = Math.max(0, count - degraded - reauth);
  const tiles = html`<dl class="tiles">${tile('connected', count, !isExact)}${tile('active', working, !isExact)}
${tile('degraded', degraded)}${tile('reauth_required', reauth)}</dl>`;
  return html`<h2>${messages.text('overview.connections')}</h2>
${tiles}
<h2>${messages.text('overview.day')}</h2>
<div class="charts">${dayPanel(hours, 'calls', 'refusals')}${dayPanel(hours, 'delivered', 'failed')}</div>
<h2>${messages.text('overview.funnel')}</h2>
${funnelFigure(funnel)}`;
}

const tileLabel = (state: ConnectionState): Html =>
  state === 'connected'
    ? html`${messages.text('overview.accounts')}`
    : stateWord(HEALTH_KINDS[state], messages.text(`health.${state}`));

function funnelFigure({ steps, denied }: Funnel): Html {
  const started = steps[0]?.count ?? 0;
  if (started === 0) return html`<p class="empty">${messages.text('overview.funnel.none')}</p>`;
  const rows = steps.map((one, index) => {
    const { count, left } = one;
    return [
      html`${messages.text(`overview.${one.step}`)}`,
      html`${numberFormat().format(count)}`,
      bar(one, started),
      html`${index < steps.length - 1 ? messages.text('overview.funnel.left', { count: left }) : ''}`,
    ];
  });
  const list = table({
    name: 'overview.funnel',
    heads: headsOf('overview.funnel', ['step', 'count', 'share', 'leave']),
    rows,
    numbers: [1],
  });
  return html`${list}<p class="hint">${messages.text('overview.funnel.hint', { denied })}</p>`;
}

function bar({ count }: FunnelStep, started: number): Html {
  const share = Math.round((count / started) * 100);
  return shareBar(share, messages.text('overview.funnel.of_all', { share }));
}

const dayPanel = (hours: readonly Hour[], good: 'calls' | 'delivered', bad: 'refusals' | 'failed'): Html =>
  html`<div class="panel">${dayChart(
    hours.map((hour) => ({ at: hour.at, good: hour[good], bad: hour[bad] })),
    good,
  )}</div>`;

/** `at` is the start of the hour in epoch milliseconds. */
type ChartHour = { readonly at: number; readonly good: number; readonly bad: number };

const FAILURES = { calls: 'refusals', delivered: 'failed' } as const;

/** Renders an hour as a bar, the oldest first. */
export const dayChart = (hours: readonly ChartHour[], kind: keyof typeof FAILURES): Html =>
  barChart(
    hours.map(({ at, ...counts }) => ({ label: new Date(at).toISOString().slice(11, 16), ...counts })),
    {
      language: messages.language,
      title: messages.text(`overview.chart.${kind}`),
      labels: messages.text('overview.chart.hour'),
      good: messages.text(`overview.chart.${kind}.good`),
      bad: messages.text(`overview.chart.${FAILURES[kind]}`),
      ...(kind === 'calls' && { badPath: `${REQUESTS}?status=errors&period=24h` }),
      empty: messages.text(`overview.chart.${kind}.empty`),
      numbers: messages.text('overview.chart.numbers'),
    },
  );
