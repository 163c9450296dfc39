/** Readable browser names for the lists of sessions. */
import { dashboardMessages as messages } from '../messages/messages.ts';

const BROWSERS: readonly (readonly [string, RegExp])[] = [
  ['Edge', /\bEdg\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\bFirefox\//],
  ['Chrome', /\b(?:Headless)?Chrome\//],
  ['Safari', /\bSafari\//],
];
const SYSTEMS: readonly (readonly [string, RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
];

/** Returns a short name for a User-Agent header, or the whole header if the browser is unknown. */
export function browserName(text: string): string {
  const browser = BROWSERS.find(([, pattern]) => pattern.test(text))?.[0];
  const system = SYSTEMS.find(([, pattern]) => pattern.test(text))?.[0];
  if (browser !== undefined && system !== undefined) return messages.text('browser', { browser, system });
  return text === '' ? messages.text('browser.unknown') : text;
}
