/** GET /connect/progress: how far the accounts of a request are loaded, for the page's script. */
import type { FastifyInstance } from 'fastify';

import { privately } from '../http/html.ts';
import { type AccountState, accountState } from './accounts/account-state.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { accountsOf } from './flow/connect-session.ts';
import { messagesFor } from './messages/messages.ts';
import { openPage } from './visit.ts';

/** What the script shows; nothing of accounts that this browser did not link (threat T4). */
export type Progress = {
  readonly done: boolean;
  readonly accounts: readonly (AccountState & { readonly key: string })[];
  /** What is said once it is done. */
  readonly announcement: string;
};

/** Answers `Progress` as JSON; refusals are as on the pages. */
export function progressRoute(app: FastifyInstance, deps: ConnectDeps): void {
  app.get('/connect/progress', async (http, reply) => {
    const { visit, request } = await openPage(http, deps);
    const { views, loading } = await accountsOf(request, visit.cookies.device, deps);
    const messages = messagesFor(request.language);
    const own = views.filter((view) => view.own);
    const accounts = own.map((view) => {
      return { key: view.accountKey, ...accountState(view, loading.get(view.accountKey), messages) };
    });
    const count = own.reduce((sum, { accountKey }) => sum + (loading.get(accountKey)?.calendars ?? 0), 0);
    const progress: Progress = {
      done: !accounts.some(({ kind }) => kind === 'loading'),
      accounts,
      announcement: messages.text('selection.ready', { count }),
    };
    return privately(reply).send(progress);
  });
}
