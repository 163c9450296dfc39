/** GET /connect/progress: how far the accounts of a request are loaded, for the page's script. */
import type { FastifyInstance } from 'fastify';

import { privately } from '../http/page.ts';
import { type AccountState, accountState } from './accounts/account-state.ts';
import { accountsOf } from './accounts/account-views.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { messagesFor } from './messages/messages.ts';
import { openPage } from './visit.ts';

/** What the script shows; nothing of accounts that are not this transaction's to change (docs/security.md T4). */
export type Progress = {
  readonly done: boolean;
  readonly accounts: readonly (AccountState & { readonly key: string })[];
  /** What is said once it is done. */
  readonly announcement: string;
};

/** Answers `Progress` as JSON; refusals are as on the pages. */
export function progressRoute(app: FastifyInstance, deps: ConnectDeps): void {
  app.get('/connect/progress', async (http, reply) => {
    const page = await openPage(http, deps);
    const { accounts: covered, loading } = await accountsOf(page, deps);
    const messages = messagesFor(page.request.language);
    const shown = covered.filter(({ isManageable }) => isManageable);
    const accounts = shown.map((view) => {
      return { key: view.accountKey, ...accountState(view, loading.get(view.accountKey), messages) };
    });
    const calendars = shown.map(({ accountKey }) => loading.get(accountKey)?.calendars ?? 0);
    const count = calendars.reduce((sum, one) => sum + one, 0);
    const progress: Progress = {
      done: !accounts.some(({ kind }) => kind === 'loading'),
      accounts,
      announcement: messages.text('selection.ready', { count }),
    };
    return privately(reply).send(progress);
  });
}
