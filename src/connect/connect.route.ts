/** The routes at the origin's root: `/authorize` in both its roles, and `/connect/…`. */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { parseTheme } from '../branding/branding.ts';
import { setCookie } from '../http/cookies.ts';
import { privately, seeOther } from '../http/page.ts';
import { formField, isFromOtherSite, readFormOrigin } from '../http/page-form.ts';
import { type AccountState, accountState } from './accounts/account-state.ts';
import { loadUserAccounts } from './accounts/account-views.ts';
import { calendarsRoutes } from './calendars.route.ts';
import { consentRoutes } from './consent.route.ts';
import { disconnectRoutes } from './disconnect.route.ts';
import { prepare } from './error-pages.ts';
import { themeCookie } from './flow/connect-cookies.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { changeLanguage } from './flow/connect-flow.ts';
import { ownPath, selectionPath } from './flow/paths.ts';
import { messagesFor } from './messages/messages.ts';
import { passwordFormRoutes } from './password-form.route.ts';
import { providerSelectionRoute } from './provider-selection.route.ts';
import { redirectSignInRoutes } from './redirect-sign-in.route.ts';
import { openPage, readForm } from './visit.ts';

/** Returns the Connect pages and the start of the flow, to be mounted at the origin's root. */
export function connectRoutes(deps: ConnectDeps): FastifyPluginAsync {
  return async (app) => {
    await prepare(app, deps);
    providerSelectionRoute(app, deps);
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
export function pageSettingsRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.post('/connect/language', async (http, reply) => {
    const { request, field } = await readForm(http, deps);
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

/** The states that the script shows, without accounts that may not be changed here (docs/security.md T4). */
export type Progress = {
  readonly done: boolean;
  readonly accounts: readonly (AccountState & { readonly key: string })[];
  /** The text for screen readers once it is done. */
  readonly announcement: string;
};

/** Returns `Progress` as JSON. Errors are the same as on the pages. */
export function progressRoute(app: FastifyInstance, deps: ConnectDeps): void {
  app.get('/connect/progress', async (http, reply) => {
    const page = await openPage(http, deps);
    const { accounts: covered, loading } = await loadUserAccounts(page, deps);
    const messages = messagesFor(page.request.language);
    const manageable = covered.filter(({ isManageable }) => isManageable);
    const accounts = manageable.map((view) => {
      return { key: view.accountKey, ...accountState(view, loading.get(view.accountKey), messages) };
    });
    const calendars = manageable.map(({ accountKey }) => loading.get(accountKey)?.calendars ?? 0);
    const count = calendars.reduce((sum, one) => sum + one, 0);
    const progress: Progress = {
      done: !accounts.some(({ kind }) => kind === 'loading'),
      accounts,
      announcement: messages.text('selection.ready', { count }),
    };
    return privately(reply).send(progress);
  });
}
