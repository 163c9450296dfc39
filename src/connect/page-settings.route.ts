/** The two choices at a page's foot: the language of this request's pages, and this browser's colours. */
import type { FastifyInstance } from 'fastify';

import { parseTheme } from '../branding/branding.ts';
import { setCookie } from '../http/cookies.ts';
import { seeOther } from '../http/page.ts';
import { themeCookie } from './flow/connect-cookies.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { changeLanguage } from './flow/connect-flow.ts';
import { pagePath } from './flow/paths.ts';
import { readForm } from './visit.ts';

/** POST /connect/language and /connect/theme. Each leads back to the page it was made on; a word that is no choice changes nothing. */
export function pageSettingsRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.post('/connect/language', async (http, reply) => {
    const { request, field } = await readForm(http, deps);
    await changeLanguage(request, field('language'), deps);
    return seeOther(reply, pagePath(field('page'), request));
  });

  app.post('/connect/theme', async (http, reply) => {
    const { request, field } = await readForm(http, deps);
    const theme = parseTheme(field('theme'));
    if (theme !== undefined) setCookie(reply, themeCookie(theme), deps);
    return seeOther(reply, pagePath(field('page'), request));
  });
}
