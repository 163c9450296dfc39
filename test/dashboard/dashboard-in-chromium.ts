/** The dashboard's routes in a real browser, at their https origin: what it asks for is answered by the routes in this process. */
import type { BrowserContextOptions, Browser as Chromium } from 'playwright-core';

import { openPage, type Watched } from '../e2e/connect-chromium.ts';
import { type DashboardApp, type DashboardBrowser, ORIGIN } from './dashboard-app.ts';

/** A page where `person` is signed in. While `isAway()` says so, the server does not answer. */
export async function openInChromium(
  chromium: Chromium,
  { app }: DashboardApp,
  { cookies }: DashboardBrowser,
  { isAway = () => false, ...options }: BrowserContextOptions & { readonly isAway?: () => boolean } = {},
): Promise<Watched> {
  const watched = await openPage(chromium, options);
  const held = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  await watched.page.route(`${ORIGIN}/**`, async (route) => {
    if (isAway()) return route.abort('connectionrefused');
    const request = route.request();
    const { statusCode, headers, rawPayload } = await app.inject({
      method: request.method() === 'POST' ? 'POST' : 'GET',
      url: request.url().slice(ORIGIN.length),
      headers: { ...request.headers(), host: new URL(ORIGIN).host, cookie: held },
      ...(request.method() === 'POST' && { payload: request.postDataBuffer() ?? '' }),
    });
    const sent = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    await route.fulfill({ status: statusCode, headers: Object.fromEntries(sent), body: rawPayload });
  });
  return watched;
}
