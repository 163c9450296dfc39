/** Shows in Chromium a page that a walker reached over HTTP, at its own address and with its own headers. */
import type { Page } from 'playwright-core';

import type { View } from './connect-tour-stop.ts';
import type { TourWalker } from './connect-tour-walker.ts';

/** Headers about the transfer of the response, which are not repeated. Cookies stay with the walker. */
const OF_THE_WAY = [
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'set-cookie',
  'transfer-encoding',
];

/** Shows the walker's page. Its other resources come from the running program. */
export async function show(page: Page, walker: TourWalker, view: View): Promise<void> {
  const { url, status, headers: answered, body } = walker.page;
  const headers = Object.fromEntries([...answered].filter(([name]) => !OF_THE_WAY.includes(name)));
  await page.route(
    (requested) => requested.href === url.href,
    (route) => route.fulfill({ status, headers, body }),
    { times: 1 },
  );
  if (view.withoutScripts) await openWithoutScripts(page, url.href);
  else await page.goto(url.href);
  if (view.unfold === undefined) return;
  await page.locator(`${view.unfold} > summary`).first().click();
}

async function openWithoutScripts(page: Page, url: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setScriptExecutionDisabled', { value: true });
  await page.goto(url);
  await session.send('Emulation.setScriptExecutionDisabled', { value: false });
  await session.detach();
}
