/** Connecting an account at the sandbox's Google, with a plain browser. */
import type { Browser } from './browser.ts';
import { allow } from './flow.ts';

/** The person whose account it is, and the id of that person's own calendar. */
export const GOOGLE_USER = 'mara@gmail.example';

/** From the page that lists the providers to the end of the flow: the address that the application is called at. */
export async function connectAtGoogle(browser: Browser): Promise<URL> {
  await browser.open((await browser.press('Connect Google')).destination ?? '');
  await browser.press(GOOGLE_USER);
  await browser.open((await browser.press('Continue')).destination ?? '');
  const { destination, status, body } = await allow(browser);
  if (destination === undefined) throw new Error(`Allow led nowhere: ${status} ${body}`);
  return destination;
}
