/** The routes at the origin's root: `/authorize` in both its roles, and `/connect/…`. */
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { parseTheme } from '../branding/branding.ts';
import { setCookie } from '../http/cookies.ts';
import { privately, seeOther } from '../http/page.ts';
import { formField, formValues, isFromOtherSite, readFormOrigin } from '../http/page-form.ts';
import { scalar } from '../http/received-query.ts';
import { CHOICE_BYTES } from '../http/sizes.ts';
import {
  type AccountView,
  accountState,
  loadUserAccounts,
  manageableAccount,
  readyCalendars,
} from './accounts/account-views.ts';
import { removeAccounts } from './accounts/save-account.ts';
import { consentRoutes } from './consent.route.ts';
import { prepare } from './error-pages.ts';
import { themeCookie } from './flow/connect-cookies.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { ANY_OPEN, changeLanguage, type PageVisit } from './flow/connect-flow.ts';
import { ownPath, selectionPath } from './flow/paths.ts';
import { messagesFor } from './messages/messages.ts';
import { calendarsPage } from './pages/calendars.page.ts';
import { disconnectAllPage, disconnectPage } from './pages/disconnect.page.ts';
import { passwordFormRoutes } from './password-form.route.ts';
import { providerSelectionRoute } from './provider-selection.route.ts';
import { reconnectRoutes } from './reconnect.route.ts';
import { redirectSignInRoutes } from './redirect-sign-in.route.ts';
import { loadAppearance, openPage, readForm, showPage } from './visit.ts';

/** Returns the Connect pages and the start of the flow, to be mounted at the origin's root. */
export function connectRoutes(deps: ConnectDeps): FastifyPluginAsync {
  return async (app) => {
    await prepare(app, deps);
    providerSelectionRoute(app, deps);
    reconnectRoutes(app, deps);
    disconnectRoutes(app, deps);
    pageSettingsRoutes(app, deps);
    calendarsRoutes(app, deps);
    progressRoute(app, deps);
    redirectSignInRoutes(app, deps);
    passwordFormRoutes(app, deps);
    consentRoutes(app, deps);
  };
}

/**
 * POST /connect/language and /connect/theme. Both lead back to the same page; an unknown value changes nothing. The
 * color scheme needs no request, so error pages have it too.
 */
function pageSettingsRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.post('/connect/language', async (http, reply) => {
    const { request, field } = await readForm(http, deps, ANY_OPEN);
    await changeLanguage(request, field('language'), deps);
    return seeOther(reply, ownPath(field('back'), deps.publicUrl) ?? selectionPath(request));
  });

  app.post('/connect/theme', async (http, reply) => {
    const theme = parseTheme(formField(http.body, 'theme'));
    const isOurs = !isFromOtherSite(readFormOrigin(http), deps.publicUrl);
    if (theme !== undefined && isOurs) setCookie(reply, themeCookie(theme), deps);
    return seeOther(reply, ownPath(formField(http.body, 'back') ?? '', deps.publicUrl) ?? '/');
  });
}

/**
 * GET /connect/progress: the states that the script shows, without accounts that may not be changed here
 * (docs/security.md T4), and the text for screen readers once they are `done`. Errors are the same as on the pages.
 */
function progressRoute(app: FastifyInstance, deps: ConnectDeps): void {
  app.get('/connect/progress', async (http, reply) => {
    const page = await openPage(http, deps);
    const { accounts: covered, loading } = await loadUserAccounts(page, deps);
    const messages = messagesFor(page.request.language);
    const manageable = covered.filter(({ isManageable }) => isManageable);
    const accounts = manageable.map((view) => {
      return { key: view.accountKey, ...accountState(view, loading.get(view.accountKey), messages) };
    });
    const done = !accounts.some(({ kind }) => kind === 'loading');
    const count = readyCalendars(covered, loading);
    return privately(reply).send({
      done,
      accounts,
      announcement: messages.text('selection.ready', { count }),
    });
  });
}

/** GET and POST /connect/calendars: selects the calendars of an account for the application. By default it gets all. */
function calendarsRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.get('/connect/calendars', async (http, reply) => {
    const page = await openPage(http, deps);
    const { visit, request } = page;
    const choice = await findCalendarChoice(page, scalar(visit.query, 'account'), deps);
    if (choice === undefined) return seeOther(reply, selectionPath(request));
    const appearance = await loadAppearance(http, request, deps);
    return showPage(reply, calendarsPage({ request, ...choice }, appearance), { request });
  });

  app.post('/connect/calendars', { bodyLimit: CHOICE_BYTES }, async (http, reply) => {
    const form = await readForm(http, deps);
    const choice = await findCalendarChoice(form, form.field('account'), deps);
    if (choice === undefined) return seeOther(reply, selectionPath(form.request));
    await choose(http, choice, deps);
    return seeOther(reply, selectionPath(form.request, `calendars_chosen.${choice.account.accountKey}`));
  });
}

/** Returns `undefined` if the account is gone or not proved here, or if its calendars are not known yet. */
async function findCalendarChoice(page: PageVisit, accountKey: string | undefined, deps: ConnectDeps) {
  const account = await manageableAccount(page, accountKey, deps);
  if (!account?.isProved) return undefined;
  const choice = await deps.calendarChoices.chosenCalendars(account.accountKey);
  return choice && { account, ...choice };
}

async function choose(http: FastifyRequest, { account, calendars }: Choice, deps: ConnectDeps) {
  const displayedKeys = formValues(http.body, 'shown');
  // A calendar that appeared after the page was rendered does not change.
  const unseen = calendars.filter(
    ({ calendarKey, isChosen }) => isChosen && !displayedKeys.includes(calendarKey),
  );
  const chosen = [
    ...formValues(http.body, 'calendar'),
    ...(displayedKeys.length === 0 ? [] : unseen.map(({ calendarKey }) => calendarKey)),
  ];
  const onlyThese = formField(http.body, 'only_these') === 'yes';
  await deps.calendarChoices.chooseCalendars(account.accountKey, { chosen, onlyThese }, deps.now());
}

type Choice = NonNullable<Awaited<ReturnType<typeof findCalendarChoice>>>;

/**
 * GET and POST /connect/disconnect and /connect/disconnect-all, which ask first, and POST /connect/remove for accounts
 * linked here (docs/security.md T4).
 */
function disconnectRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.get('/connect/disconnect', async (http, reply) => {
    const page = await openPage(http, deps);
    const { visit, request } = page;
    const account = await manageableAccount(page, scalar(visit.query, 'account'), deps);
    if (account === undefined) return seeOther(reply, selectionPath(request));
    const appearance = await loadAppearance(http, request, deps);
    return showPage(reply, disconnectPage({ request, account }, appearance), { request });
  });

  app.post('/connect/disconnect', async (http, reply) => {
    const form = await readForm(http, deps);
    const account = await manageableAccount(form, form.field('account'), deps);
    if (account !== undefined) await removeAccounts(form, [account], deps);
    return seeOther(reply, selectionPath(form.request, 'disconnected'));
  });

  app.post('/connect/remove', async (http, reply) => {
    const form = await readForm(http, deps);
    const account = await manageableAccount(form, form.field('account'), deps);
    if (account?.isUnfinished) await removeAccounts(form, [account], deps);
    return seeOther(reply, selectionPath(form.request, 'removed'));
  });

  app.get('/connect/disconnect-all', async (http, reply) => {
    const page = await openPage(http, deps);
    const { request } = page;
    const { accounts: covered, others } = await loadUserAccounts(page, deps);
    const accounts = [...covered, ...others];
    if (!accounts.some(isManageable)) return seeOther(reply, selectionPath(request));
    const appearance = await loadAppearance(http, request, deps);
    return showPage(reply, disconnectAllPage({ request, accounts }, appearance), { request });
  });

  app.post('/connect/disconnect-all', async (http, reply) => {
    const form = await readForm(http, deps);
    const { accounts, others } = await loadUserAccounts(form, deps);
    await removeAccounts(form, [...accounts, ...others].filter(isManageable), deps);
    return seeOther(reply, selectionPath(form.request, 'disconnected_all'));
  });
}

const isManageable = (account: AccountView): boolean => account.isManageable;
