/** The two choices at a page's foot: the language of this request's pages, and this browser's colours. */
import type { FastifyInstance } from 'fastify';

import { parseTheme } from '../branding/branding.ts';
import type { AuthorizationRequest } from './flow/authorization-request-store.ts';
import { themeCookie } from './flow/connect-cookies.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { pagePath } from './flow/paths.ts';
import { LANGUAGES } from './messages/messages.ts';
import { readForm, seeOther, setCookie } from './visit.ts';

/**
 * Shows the rest of the request's pages in the language that `word` names, and answers the request so; `undefined`,
 * with nothing changed, for a word that is no choice.
 */
export async function takeLanguage(
  request: AuthorizationRequest,
  word: string,
  { requests }: Pick<ConnectDeps, 'requests'>,
): Promise<AuthorizationRequest | undefined> {
  const language = LANGUAGES.find((one) => one === word);
  if (language === undefined) return undefined;
  await requests.setLanguage(request.transactionId, language);
  return { ...request, language };
}

/** POST /connect/language and /connect/theme. Each leads back to the page it was made on; a word that is no choice changes nothing. */
export function pageSettingsRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.post('/connect/language', async (http, reply) => {
    const { request, field } = await readForm(http, deps);
    await takeLanguage(request, field('language'), deps);
    return seeOther(reply, pagePath(field('page'), request));
  });

  app.post('/connect/theme', async (http, reply) => {
    const { request, field } = await readForm(http, deps);
    const theme = parseTheme(field('theme'));
    if (theme !== undefined) setCookie(reply, themeCookie(theme), deps);
    return seeOther(reply, pagePath(field('page'), request));
  });
}
