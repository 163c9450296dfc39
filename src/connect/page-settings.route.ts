/** The two choices at a page's foot: the language of this request's pages, and this browser's colours. */
import type { FastifyInstance } from 'fastify';

import { parseTheme } from '../branding/branding.ts';
import { setCookie } from '../http/cookies.ts';
import { seeOther } from '../http/page.ts';
import { formField, formOriginOf, isFromOtherSite } from '../http/page-form.ts';
import { themeCookie } from './flow/connect-cookies.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { changeLanguage } from './flow/connect-flow.ts';
import { ownPath, selectionPath } from './flow/paths.ts';
import { readForm } from './visit.ts';

/**
 * POST /connect/language and /connect/theme. Each leads back to the page it was made on; a word that is no choice
 * changes nothing. The colours need no request, so that error pages have them too.
 */
export function pageSettingsRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.post('/connect/language', async (http, reply) => {
    const { request, field } = await readForm(http, deps);
    await changeLanguage(request, field('language'), deps);
    return seeOther(reply, ownPath(field('back'), deps.publicUrl) ?? selectionPath(request));
  });

  app.post('/connect/theme', async (http, reply) => {
    const theme = parseTheme(formField(http.body, 'theme'));
    const isOurs = !isFromOtherSite(formOriginOf(http), deps.publicUrl);
    if (theme !== undefined && isOurs) setCookie(reply, themeCookie(theme), deps);
    return seeOther(reply, ownPath(formField(http.body, 'back') ?? '', deps.publicUrl) ?? '/');
  });
}
