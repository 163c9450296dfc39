/** What goes wrong in the dashboard as pages; JSON for whoever prefers that. */
import type { FastifyInstance, FastifyRequest } from 'fastify';

import { prefersPage } from '../http/content-preference.ts';
import { RETRY_AWAY_SECONDS, refusalOf } from '../http/error-mapping.ts';
import { type Html, html } from '../http/html.ts';
import { privately, seeOther, sendPage } from '../http/page.ts';
import { isDatabaseAway } from '../lib/database-away-error.ts';
import { PeopleRefusal, type PeopleRefusalKind } from '../people/people-refusal.ts';
import { findSignedIn } from '../people/sessions.ts';
import { readDashboardCookies } from './dashboard-cookies.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { linkEndedPage, refusedPage } from './pages/door.page.ts';

const STATUS: Readonly<Record<PeopleRefusalKind, number>> = {
  not_signed_in: 401,
  not_fresh: 403,
  not_allowed: 403,
  not_there: 404,
  foreign_form: 403,
  link_ended: 410,
  wrong_login: 401,
  too_many: 429,
  last_owner: 409,
  login_taken: 409,
  no_passkeys: 409,
  challenge_ended: 409,
  wrong_passkey: 401,
  passkey_taken: 409,
  last_way: 409,
  flow_ended: 404,
  way_off: 403,
  identity_taken: 409,
  role_from_claims: 409,
  issuer_unavailable: 503,
  sign_in_cancelled: 401,
  sign_in_ended: 409,
  sign_in_failed: 401,
  not_invited: 403,
  other_person: 403,
  not_fresh_there: 403,
};

/** The status of a refusal. */
export const refusalStatus = ({ kind }: PeopleRefusal): number => STATUS[kind];

/** What only single sign-on is refused for; each has its sentence. */
const OF_SINGLE_SIGN_ON = [
  'way_off',
  'identity_taken',
  'role_from_claims',
  'issuer_unavailable',
  'sign_in_cancelled',
  'sign_in_ended',
  'sign_in_failed',
  'not_invited',
  'other_person',
  'not_fresh_there',
] as const satisfies readonly PeopleRefusalKind[];
/** What also happens elsewhere, and means something of its own here. */
const HERE_TOO = ['last_owner', 'login_taken'] as const satisfies readonly PeopleRefusalKind[];

/** The sentence for what goes wrong with single sign-on; undefined for anything else. */
export function refusalText({ kind }: PeopleRefusal): string | undefined {
  const known = [...OF_SINGLE_SIGN_ON, ...HERE_TOO].find((one) => one === kind);
  return known && messages.text(`sso.${known}`);
}

export function showDashboardErrors(app: FastifyInstance, deps: OpenDashboard): void {
  app.setErrorHandler(async (thrown, http, reply) => {
    const kind = thrown instanceof PeopleRefusal ? thrown.kind : undefined;
    const refusal = kind === undefined && thrown instanceof Error ? refusalOf(thrown, http) : undefined;
    const isAway =
      isDatabaseAway(thrown) || (kind === undefined && refusal === undefined && (await isUnreadable(deps)));
    const status = isAway ? 503 : kind === undefined ? (refusal?.status ?? 500) : STATUS[kind];
    if (isAway) reply.header('retry-after', RETRY_AWAY_SECONDS);
    if (isDatabaseAway(thrown)) app.noteDatabaseAway(thrown, http);
    else if (status >= 500)
      deps.log.error(
        { event: 'request_failed', err: thrown, requestId: http.id, route: http.routeOptions.url },
        'A request of the dashboard failed',
      );
    if (thrown instanceof PeopleRefusal && thrown.retryAfter !== undefined)
      reply.header('retry-after', thrown.retryAfter);
    if (refusal !== undefined) reply.headers(refusal.headers);
    if (!prefersPage(http.headers.accept))
      return privately(reply)
        .code(status)
        .send({
          error: kind ?? 'refused',
          message:
            refusal?.message ?? kind ?? messages.text(isAway ? 'error.away.title' : 'error.fault.title'),
        });
    if (kind === 'not_signed_in') return seeOther(reply, signInPath(http));
    if (kind === 'not_fresh') return seeOther(reply, onwardPath('/dashboard/confirm', http));
    const { theme } = readDashboardCookies(http.cookies, deps);
    if (kind === 'link_ended') return sendPage(reply, linkEndedPage(theme), status);
    if (isAway) return sendPage(reply, refusedPage({ ...awayWords(http), theme }), status);
    const words = await wordsOf(kind ?? refusal?.message, http, deps);
    return sendPage(reply, refusedPage({ ...words, theme }), status);
  });
}

/** Asked after a fault of any other kind: a database may be of no use in ways that its errors do not say. */
const isUnreadable = ({ people }: OpenDashboard): Promise<boolean> =>
  people.findSession('', { seenAfter: 0, createdAfter: 0 }).then(
    () => false,
    () => true,
  );

/** A form is not sent again by a link: its reader goes back to it, where all that was typed still stands. */
const awayWords = ({ method, url }: FastifyRequest) => ({
  title: messages.text('error.away.title'),
  text: html`${messages.text(method === 'GET' ? 'error.away.text' : 'error.away.form')}`,
  ...(method === 'GET' && { again: url }),
});

const signInPath = (http: FastifyRequest): string => onwardPath('/dashboard/sign-in', http);

/** A form is not sent again: its reader comes back to the page it stands on. */
function onwardPath(path: string, { method, url, headers }: FastifyRequest): string {
  const page = URL.parse(headers.referer ?? '');
  const next = method === 'GET' ? url : page === null ? '/dashboard' : page.pathname + page.search;
  return `${path}?${new URLSearchParams({ next })}`;
}

async function wordsOf(
  reason: PeopleRefusalKind | string | undefined,
  http: FastifyRequest,
  deps: OpenDashboard,
): Promise<{ readonly title: string; readonly text: Html }> {
  const ofSingleSignOn = OF_SINGLE_SIGN_ON.find((kind) => kind === reason);
  if (ofSingleSignOn !== undefined)
    return { title: messages.text('error.bad.title'), text: html`${messages.text(`sso.${ofSingleSignOn}`)}` };
  switch (reason) {
    case 'not_there':
    case 'foreign_form':
    case 'flow_ended':
      return {
        title: messages.text(`error.${reason}.title`),
        text: html`${messages.text(`error.${reason}.text`)}`,
      };
    case 'not_allowed': {
      const signedIn = await findSignedIn(readDashboardCookies(http.cookies, deps).session, deps);
      const role = messages.text(`role.${signedIn?.person.role ?? 'viewer'}`);
      return {
        title: messages.text('error.not_allowed.title'),
        text: messages.markup('error.not_allowed.text', { role }),
      };
    }
    case 'no_passkeys':
    case 'challenge_ended':
    case 'wrong_passkey':
    case 'passkey_taken':
    case 'last_way':
      return { title: messages.text('error.bad.title'), text: html`${messages.text(`passkey.${reason}`)}` };
    case 'last_owner':
      return { title: messages.text('error.bad.title'), text: html`${messages.text('person.last_owner')}` };
    case 'login_taken':
      return {
        title: messages.text('error.bad.title'),
        text: html`${messages.text('invite_form.login.taken')}`,
      };
    case undefined:
      return {
        title: messages.text('error.fault.title'),
        text: messages.markup('error.fault.text', { reference: http.id }),
      };
    default:
      return { title: messages.text('error.bad.title'), text: html`${reason}` };
  }
}
