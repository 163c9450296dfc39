/** Error pages of the dashboard, or JSON for clients that prefer it. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RETRY_AWAY_SECONDS, toRefusal } from '../http/error-mapping.ts';
import { type Html, html } from '../http/html.ts';
import { privately, seeOther, sendPage } from '../http/page.ts';
import type { Refusal } from '../http/refusal.ts';
import { prefersPage } from '../lib/content-negotiation.ts';
import { isDatabaseAway } from '../lib/database-away-error.ts';
import { PeopleRefusal, type PeopleRefusalKind } from '../people/people-refusal.ts';
import type { Role } from '../people/person.ts';
import { findSignedIn } from '../people/sessions.ts';
import { readDashboardCookies } from './dashboard-cookies.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import { type DashboardMessageKey, dashboardMessages as messages } from './messages/messages.ts';
import { linkEndedPage, refusedPage } from './pages/sign-in.page.ts';

/** The title defaults to `error.bad.title`. */
type Row = readonly [status: number, text: DashboardMessageKey, title?: DashboardMessageKey];
const REFUSALS: Readonly<Record<PeopleRefusalKind, Row>> = {
  not_signed_in: [401, 'error.not_signed_in.text'],
  not_fresh: [403, 'confirm.lead'],
  not_allowed: [403, 'error.not_allowed.text', 'error.not_allowed.title'],
  not_there: [404, 'error.not_there.text', 'error.not_there.title'],
  foreign_form: [403, 'error.foreign_form.text', 'error.foreign_form.title'],
  link_ended: [410, 'link_ended.text'],
  wrong_login: [401, 'sign_in.wrong'],
  too_many: [429, 'too_many'],
  too_many_for_login: [429, 'too_many_for_login'],
  last_owner: [409, 'person.last_owner'],
  own_creator: [409, 'error.own_creator.text'],
  login_taken: [409, 'invite_form.login.taken'],
  no_passkeys: [409, 'passkey.no_passkeys'],
  challenge_ended: [409, 'passkey.challenge_ended'],
  wrong_passkey: [401, 'passkey.wrong_passkey'],
  passkey_taken: [409, 'passkey.passkey_taken'],
  last_way: [409, 'passkey.last_way'],
  flow_ended: [404, 'error.flow_ended.text', 'error.flow_ended.title'],
  way_off: [403, 'sso.way_off'],
  identity_taken: [409, 'sso.identity_taken'],
  role_from_claims: [409, 'sso.role_from_claims'],
  issuer_unavailable: [503, 'sso.issuer_unavailable'],
  sign_in_cancelled: [401, 'sso.sign_in_cancelled'],
  sign_in_ended: [409, 'sso.sign_in_ended'],
  sign_in_failed: [401, 'sso.sign_in_failed'],
  not_invited: [403, 'sso.not_invited'],
  other_person: [403, 'sso.other_person'],
  not_fresh_there: [403, 'sso.not_fresh_there'],
};

export const refusalStatus = ({ kind }: PeopleRefusal): number => REFUSALS[kind][0];

/** Returns the sentence of a refusal, with the seconds to wait and the role of the reader. */
export const refusalSentence = ({ kind, retryAfter: seconds = 1 }: PeopleRefusal, role: Role = 'viewer') =>
  messages.text(REFUSALS[kind][1], { seconds, role: messages.text(`role.${role}`) });

/** Returns the sentence for a failed single sign-on, or undefined if the refusal is about something else. */
export function refusalText({ kind }: PeopleRefusal): string | undefined {
  const key = kind === 'last_owner' || kind === 'login_taken' ? (`sso.${kind}` as const) : REFUSALS[kind][1];
  return key.startsWith('sso.') ? messages.text(key) : undefined;
}

export function showDashboardErrors(app: FastifyInstance, deps: OpenDashboard): void {
  app.setErrorHandler(async (thrown, http, reply) => {
    const ofPeople = thrown instanceof PeopleRefusal ? thrown : undefined;
    const kind = ofPeople?.kind;
    const refusal = kind === undefined && thrown instanceof Error ? toRefusal(thrown, http) : undefined;
    const isAway =
      isDatabaseAway(thrown) || (kind === undefined && refusal === undefined && (await isUnreadable(deps)));
    const status = isAway ? 503 : ofPeople === undefined ? (refusal?.status ?? 500) : refusalStatus(ofPeople);
    if (isAway) reply.header('retry-after', RETRY_AWAY_SECONDS);
    if (isDatabaseAway(thrown)) app.noteDatabaseAway(thrown, http);
    else if (status >= 500)
      deps.log.error(
        { event: 'request_failed', err: thrown, requestId: http.id, route: http.routeOptions.url },
        'A request of the dashboard failed',
      );
    if (ofPeople?.retryAfter !== undefined) reply.header('retry-after', ofPeople.retryAfter);
    if (refusal !== undefined) reply.headers(refusal.headers);
    const { message, ...words } =
      ofPeople === undefined
        ? describeFailure({ refusal, isAway }, http)
        : await describeRefusal(ofPeople, http, deps);
    if (!prefersPage(http.headers.accept))
      return privately(reply)
        .code(status)
        .send({ error: kind ?? 'refused', message });
    if (kind === 'not_signed_in') return seeOther(reply, signInPath(http));
    if (kind === 'not_fresh') return seeOther(reply, returnPath('/dashboard/confirm', http));
    const { theme } = readDashboardCookies(http.cookies, deps);
    if (kind === 'link_ended') return sendPage(reply, linkEndedPage(theme), status);
    return sendPage(reply, refusedPage({ ...words, theme }), status);
  });
}

/** Reads from the database after an unknown error: not every unusable database raises a recognizable error. */
const isUnreadable = ({ people }: OpenDashboard): Promise<boolean> =>
  people.findSession('', { seenAfter: 0, createdAfter: 0 }).then(
    () => false,
    () => true,
  );

/** `message` is the sentence for a client that prefers JSON; `again` the page to try again. */
type ErrorTexts = {
  readonly title: string;
  readonly text: Html;
  readonly message: string;
  readonly again?: string;
};

/** Returns the texts for an error that is not a PeopleRefusal. */
function describeFailure(
  { refusal, isAway }: { readonly refusal: Refusal | undefined; readonly isAway: boolean },
  { id: reference, method, url }: FastifyRequest,
): ErrorTexts {
  if (isAway) {
    const title = messages.text('error.away.title');
    // A link cannot resubmit a form. The reader goes back to it, where the typed values still are.
    const text = html`${messages.text(method === 'GET' ? 'error.away.text' : 'error.away.form')}`;
    return { title, text, message: title, ...(method === 'GET' && { again: url }) };
  }
  if (refusal !== undefined) {
    const { message } = refusal;
    return { title: messages.text('error.bad.title'), text: html`${message}`, message };
  }
  const title = messages.text('error.fault.title');
  return { title, text: messages.markup('error.fault.text', { reference }), message: title };
}

async function describeRefusal(refusal: PeopleRefusal, { cookies }: FastifyRequest, deps: OpenDashboard) {
  const { session } = readDashboardCookies(cookies, deps);
  const signedIn = refusal.kind === 'not_allowed' ? await findSignedIn(session, deps) : undefined;
  const message = refusalSentence(refusal, signedIn?.person.role);
  const [, , title = 'error.bad.title'] = REFUSALS[refusal.kind];
  return { title: messages.text(title), text: html`${message}`, message };
}

const signInPath = (http: FastifyRequest): string => returnPath('/dashboard/sign-in', http);

/** Adds the page to return to. After a form that is the page with the form, since a form is not resubmitted. */
function returnPath(path: string, { method, url, headers }: FastifyRequest): string {
  const page = URL.parse(headers.referer ?? '');
  const next = method === 'GET' ? url : page === null ? '/dashboard' : page.pathname + page.search;
  return `${path}?${new URLSearchParams({ next })}`;
}
