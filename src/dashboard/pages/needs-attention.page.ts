/** The overview's table of problems: failed checks, unhealthy endpoints, and accounts by reason. */
import { auditedUrl } from '../../audit/audited-url.ts';
import type { HealthReason } from '../../calendars/health-reason.ts';
import { type Html, html } from '../../http/html.ts';
import type { Role } from '../../people/person.ts';
import type { Check } from '../../system/doctor-checks.ts';
import type { AccountWithHealth } from '../../user-data/accounts-by-health.ts';
import type { Turn } from '../../user-data/responsible-party.ts';
import { UNHEALTHY_ON_A_PAGE, type UnhealthyEndpoint } from '../../webhooks/unhealthy-endpoints.ts';
import { type DashboardMessageKey, dashboardMessages as messages } from '../messages/messages.ts';
import { CONNECTIONS } from './connections.page.ts';
import { stateWord } from './filter-form.page.ts';
import { HEALTH_KINDS } from './health.page.ts';
import type { Viewer } from './layout.page.ts';
import { emptyState, headsOf, nextLink, table, top } from './parts.page.ts';
import { SYSTEM } from './system.page.ts';
import { checkAgain } from './system-checks.page.ts';
import { ago } from './times.page.ts';
import { type UserLinkDeps, userLink } from './user-links.ts';
import { shownName } from './visible-name.ts';
import { visibleText } from './visible-text.ts';
import { endpointPath } from './webhooks.page.ts';

/** The problems that a member may see. Instants are epoch milliseconds. */
export type Problems = {
  readonly checks: readonly FailedCheck[];
  /** The first page. */
  readonly endpoints: readonly UnhealthyEndpoint[];
  readonly reasons: readonly ReasonProblem[];
  /** Whether there are more unhealthy accounts than were counted. */
  readonly isCut: boolean;
  /** The names of applications. */
  readonly names: ReadonlyMap<string, string>;
};

export type FailedCheck = Pick<Check, 'name' | 'message'> & { readonly since: number };

/** The accounts with one reason. `oldest` is undefined if they recovered meanwhile. */
export type ReasonProblem = {
  readonly reason: HealthReason;
  readonly count: number;
  readonly oldest: AccountWithHealth | undefined;
  readonly turn: Turn;
};

type Row = { readonly turn: Turn; readonly cells: readonly Html[] };

/** Rows of each kind. The page has charts too, and may have 60 KB, so further endpoints are only links. */
const MOST_ROWS = { checks: 2, endpoints: 6, reasons: 5 } as const;
const MOST_MESSAGE = 250;
/** For addresses and faults of endpoints. */
const MOST_CHARACTERS = 60;
const MOST_OF_LINK = 48;

export const hasProblems = ({ checks, endpoints, reasons }: Problems): boolean =>
  checks.length + endpoints.length + reasons.length > 0;

export function needsAttention(problems: Problems, viewer: Viewer, deps: UserLinkDeps): Html {
  const { checks, endpoints, reasons, isCut, names } = problems;
  const { role } = viewer.person;
  const name = messages.text('overview.needs');
  if (!hasProblems(problems))
    return html`<h2>${name}</h2>\n<p class="empty">${messages.text('overview.needs.none')}</p>`;
  const byKind = {
    checks: checks.map((check) => checkRow(check, viewer)),
    endpoints: endpoints.map((endpoint) => endpointRow(endpoint, names, viewer)),
    reasons: sortForReader(
      reasons.map((problem) => reasonRow(problem, viewer, deps)),
      role,
    ),
  };
  const rows = KINDS.flatMap((kind) => byKind[kind].slice(0, MOST_ROWS[kind]));
  const list = problemTable('overview.needs', sortForReader(rows, role));
  const more = KINDS.filter((kind) => byKind[kind].length > MOST_ROWS[kind]).map(
    (kind) =>
      html`<a class="button small" href="${LISTS[kind]}">${messages.text(`overview.needs.all.${kind}`)}</a>`,
  );
  const further = endpoints.slice(MOST_ROWS.endpoints);
  return html`<h2>${name}</h2>
${list}${further.length > 0 && furtherEndpoints(further)}${more.length > 0 && html`<div class="buttons">${more}</div>`}
${isCut && html`<p class="hint">${messages.text('overview.needs.cut')}</p>`}`;
}

/** A full page may be the first of several. */
const furtherEndpoints = (endpoints: readonly UnhealthyEndpoint[]): Html =>
  html`<h3>${MOST_ROWS.endpoints + endpoints.length < UNHEALTHY_ON_A_PAGE ? messages.text('overview.needs.further', { count: endpoints.length }) : messages.text('overview.needs.further.many')}</h3>
<ul class="further">${endpoints.map((one) => html`<li><a href="${endpointPath(one)}">${endpointAddress(one, MOST_OF_LINK)}</a></li>`)}</ul>`;

/** Renders the address of an endpoint without its secrets. */
const endpointAddress = ({ url }: UnhealthyEndpoint, most = MOST_CHARACTERS): Html =>
  html`<bdi class="cut">${visibleText(auditedUrl(url).replace(/^https?:\/\//, ''), most)}</bdi>`;

const problemTable = (name: DashboardMessageKey, rows: readonly Row[]): Html =>
  table({
    name,
    heads: headsOf('overview.needs', ['reason', 'count', 'turn', 'mend', 'since']),
    rows: rows.map(({ cells }) => cells),
  });

export const ENDPOINTS = '/dashboard/endpoints';

const KINDS = ['checks', 'endpoints', 'reasons'] as const;
const LISTS = { checks: SYSTEM, endpoints: ENDPOINTS, reasons: CONNECTIONS } as const;

export type EndpointsParts = Pick<Problems, 'endpoints' | 'names'> & {
  readonly nextPath: string | undefined;
};

/** Renders a page of all unhealthy endpoints. */
export function endpointsContent({ endpoints, names, nextPath }: EndpointsParts, viewer: Viewer): Html {
  const title = messages.text('endpoints.title');
  const rows = endpoints.map((endpoint) => endpointRow(endpoint, names, viewer));
  return html`${top(title, messages.text('endpoints.lead'))}
${rows.length === 0 ? emptyState(messages.text('endpoints.none')) : problemTable('endpoints.title', rows)}
${nextLink(nextPath)}`;
}

/** Rows on which the reader must act come first, then those of the others in this order. */
const ORDER: readonly Turn[] = ['operator', 'application', 'user', 'administrator', 'provider'];
const READERS: Readonly<Partial<Record<Role, Turn>>> = { owner: 'operator', developer: 'application' };

function sortForReader(rows: readonly Row[], role: Role): Row[] {
  const rank = (turn: Turn) => (turn === READERS[role] ? -1 : ORDER.indexOf(turn));
  return rows.toSorted((one, other) => rank(one.turn) - rank(other.turn));
}

const turnName = (turn: Turn, { person }: Viewer): Html =>
  html`${messages.text(`overview.turn.${turn === 'operator' && person.role === 'owner' ? 'you' : turn}`)}`;

function checkRow({ name, message, since }: FailedCheck, viewer: Viewer): Row {
  const turn = 'operator';
  const cells = [
    html`<a href="${SYSTEM}">${messages.text('overview.check', { name })}</a>`,
    html`${messages.text('overview.check.affected')}`,
    turnName(turn, viewer),
    html`<span class="said">${visibleText(message, MOST_MESSAGE)}</span>${checkAgain(name, { path: SYSTEM, back: '/dashboard' }, viewer)}`,
    ago(since),
  ];
  return { turn, cells };
}

function endpointRow(endpoint: UnhealthyEndpoint, names: Problems['names'], viewer: Viewer): Row {
  const { clientId, state, pausedReason, failures, lastFault, since } = endpoint;
  const kind = state === 'paused' ? 'paused' : 'failing';
  const attempts = messages.text('overview.endpoint.attempts', { count: failures });
  const about =
    kind === 'failing'
      ? html`${attempts}${lastFault !== undefined && html` <bdi>${visibleText(lastFault, MOST_CHARACTERS)}</bdi>`}`
      : html`${messages.text(`overview.endpoint.paused.${pausedReason ?? 'operator'}`)}`;
  const turn = 'application';
  const cells = [
    html`<a href="${endpointPath(endpoint)}">${messages.text(`overview.endpoint.${kind}`)}</a><small>${about}</small>`,
    html`${endpointAddress(endpoint)}<small><bdi>${names.get(clientId) ?? clientId}</bdi></small>`,
    turnName(turn, viewer),
    html`${messages.text(`overview.endpoint.${kind}.fix`)}`,
    ago(since),
  ];
  return { turn, cells };
}

function reasonRow({ reason, count, oldest, turn }: ReasonProblem, viewer: Viewer, deps: UserLinkDeps): Row {
  const only = count === 1 ? oldest : undefined;
  const path =
    only === undefined
      ? `${CONNECTIONS}?${new URLSearchParams({ reason })}`
      : userLink('user', only, { reader: viewer.person, ...deps });
  const name = only && html`<small><bdi class="cut">${shownName(viewer.person, only.display)}</bdi></small>`;
  const { state } = oldest?.health ?? {};
  const status = state && stateWord(HEALTH_KINDS[state], messages.text(`health.${state}`));
  const cells = [
    html`<a href="${path}">${messages.text(`reason.${reason}`)}</a>${status && html`<small>${status}</small>`}`,
    html`${messages.text('overview.needs.accounts', { count })}${name}`,
    turnName(turn, viewer),
    html`${messages.text(`reason.${reason}.mends`)}`,
    html`${oldest && ago(oldest.health.since)}`,
  ];
  return { turn, cells };
}
