/** Renders small parts of pages that belong to no feature. */

import { readFileSync } from 'node:fs';
import type { ProviderKind } from '../calendars/provider-facts.ts';
import { type Html, html, trusted } from '../http/html.ts';

export type NoticeKind = 'done' | 'trouble' | 'note';

/** Renders a notice. Screen readers interrupt for a problem. If focused, reading and tabbing start at the notice. */
export function notice(kind: NoticeKind, text: Html, isFocused = false): Html {
  const focus = isFocused && html` tabindex="-1" autofocus aria-labelledby="notice"`;
  const role = kind === 'trouble' ? 'alert' : 'status';
  return html`<div class="notice ${kind}" role="${role}"${focus}>${ICONS[kind]}<div id="notice">${text}</div></div>`;
}

/** Renders a link to another site. It opens in a new window, so that typed text stays. */
export const outwardLink = (href: string, text: Html): Html =>
  html`<a href="${href}" target="_blank" rel="noopener noreferrer">${text}</a>`;

export const chip = (word: string): Html => html`<span class="chip">${word}</span>`;

/** Renders a mail or web address that may break after `@`, dots and slashes. */
export function withBreakPoints(address: string): Html {
  const parts = address.split(/(?<=[@./])/);
  return html`${parts.map((part, index) => (index === 0 ? part : html`<wbr>${part}`))}`;
}

export const PROVIDER_NAMES: Readonly<Record<ProviderKind, string>> = {
  google: 'Google',
  microsoft: 'Microsoft',
  apple: 'Apple',
  caldav: 'CalDAV',
};

const picture = (viewBox: string, shapes: string): Html =>
  trusted(
    `<svg class="mark" width="24" height="24" viewBox="${viewBox}" aria-hidden="true" focusable="false">${shapes}</svg>`,
  );

/** The providers' logos, always shown beside their names. */
export const PROVIDER_MARKS: Readonly<Record<ProviderKind, Html>> = {
  google: picture(
    '0 0 24 24',
    '<path fill="#4285f4" d="M22.5 12.2c0-.8-.1-1.4-.2-2.1H12v4h5.9a5.1 5.1 0 0 1-2.2 3.3v2.8h3.6c2-1.9 3.2-4.7 3.2-8z"/>' +
      '<path fill="#34a853" d="M12 23c3 0 5.5-1 7.3-2.7l-3.6-2.8a6.8 6.8 0 0 1-10-3.5H2v2.8A11 11 0 0 0 12 23z"/>' +
      '<path fill="#fbbc05" d="M5.7 14a6.6 6.6 0 0 1 0-4.1V7H2a11 11 0 0 0 0 9.9z"/>' +
      '<path fill="#ea4335" d="M12 5.4c1.6 0 3.1.6 4.2 1.6l3.2-3.1A11 11 0 0 0 2 7l3.7 2.9A6.6 6.6 0 0 1 12 5.4z"/>',
  ),
  microsoft: picture(
    '0 0 24 24',
    '<path fill="#f25022" d="M2 2h9.5v9.5H2z"/><path fill="#7fba00" d="M12.5 2H22v9.5h-9.5z"/>' +
      '<path fill="#00a4ef" d="M2 12.5h9.5V22H2z"/><path fill="#ffb900" d="M12.5 12.5H22V22h-9.5z"/>',
  ),
  apple: picture(
    '0 0 24 24',
    '<path fill="currentColor" d="M17.1 12.7c0-2.3 1.9-3.5 2-3.5a4.3 4.3 0 0 0-3.4-1.8c-1.4-.2-2.8.8-3.5.8s-1.9-.8-3.1-.8a4.6 4.6 0 0 0-3.9 2.4c-1.7 2.9-.4 7.2 1.2 9.5.8 1.2 1.7 2.4 3 2.4 1.2-.1 1.6-.8 3.1-.8s1.8.8 3.1.7c1.3 0 2.1-1.1 2.9-2.3a10 10 0 0 0 1.3-2.7 4.2 4.2 0 0 1-2.7-3.9zM14.8 5.7a4.2 4.2 0 0 0 1-3.1 4.3 4.3 0 0 0-2.8 1.5 4 4 0 0 0-1 2.9 3.6 3.6 0 0 0 2.8-1.3z"/>',
  ),
  caldav: picture(
    '0 0 24 24',
    '<g fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round">' +
      '<rect x="3" y="4.5" width="18" height="16.5" rx="3"/><path d="M3 9.5h18M8 2.5v4M16 2.5v4"/>' +
      '<path d="M9.5 13 7.5 15.25l2 2.25M14.5 13l2 2.25-2 2.25"/></g>',
  ),
};

/** The mark of a calendar that is published at an address. */
export const LINK_MARK: Html = picture(
  '0 0 24 24',
  '<g fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round">' +
    '<path d="M10 14a4.5 4.5 0 0 0 6.4 0l3.2-3.2a4.5 4.5 0 0 0-6.4-6.4L11.8 5.8M14 10a4.5 4.5 0 0 0-6.4 0l-3.2 3.2a4.5 4.5 0 0 0 6.4 6.4l1.4-1.4"/></g>',
);

const line = (size: number, shapes: string): Html =>
  trusted(
    `<svg width="${size}" height="${size}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">${shapes}</svg>`,
  );

const CALENDAR =
  '<rect x="3" y="4.5" width="18" height="16.5" rx="3"/><path d="M3 9.5h18M8 2.5v4M16 2.5v4M8.5 15l2.5 2.5 4.5-4.5"/>';

const GLOBE = '<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c5 5.5 5 12.5 0 18-5-5.5-5-12.5 0-18z"/>';

/** The icon of the browser tab. It is part of each page: otherwise browsers request one for every page. */
export const ICON_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-6 -6 36 36" fill="none" stroke="#fff" stroke-width="2.25" ' +
  `stroke-linecap="round" stroke-linejoin="round"><rect x="-6" y="-6" width="36" height="36" rx="8" fill="#1f4fd8" stroke="none"/>${CALENDAR}</svg>`;
export const PAGE_ICON: Html = trusted(
  `data:image/svg+xml,${ICON_SVG.replaceAll('"', "'").replace(/[<>#]/g, encodeURIComponent)}`,
);

/** The icons of Kalends. Each is shown beside a text that means the same. */
export const ICONS = {
  application: line(
    26,
    '<rect x="3.5" y="3.5" width="7" height="7" rx="1.5"/><rect x="13.5" y="3.5" width="7" height="7" rx="1.5"/><rect x="3.5" y="13.5" width="7" height="7" rx="1.5"/><rect x="13.5" y="13.5" width="7" height="7" rx="1.5"/>',
  ),
  onward: line(20, '<path d="m9 5 7 7-7 7"/>'),
  back: line(18, '<path d="m15 5-7 7 7 7"/>'),
  done: line(20, '<circle cx="12" cy="12" r="9"/><path d="m8 12.5 2.75 2.75L16 10"/>'),
  note: line(20, '<circle cx="12" cy="12" r="9"/><path d="M12 11v5.5M12 7.5h.01"/>'),
  trouble: line(20, '<circle cx="12" cy="12" r="9"/><path d="M12 7.5v5.5M12 16.5h.01"/>'),
  tick: line(18, '<path d="m5 12.5 4.5 4.5L19 7.5"/>'),
  cross: line(18, '<path d="m6.5 6.5 11 11m0-11-11 11"/>'),
  caution: line(20, '<path d="M12 4 2.5 20h19zM12 10v4.5M12 17.25h.01"/>'),
  site: line(16, GLOBE),
  globe: line(18, GLOBE),
  more: line(20, '<path stroke-width="3" d="M5 12h.01M12 12h.01M19 12h.01"/>'),
  unfold: line(16, '<path d="m6 9.5 6 6 6-6"/>'),
  eye: line(20, '<path d="M2.5 12c4.5-8 14.5-8 19 0-4.5 8-14.5 8-19 0z"/><circle cx="12" cy="12" r="3"/>'),
  device: line(18, '<rect x="3" y="4.5" width="18" height="12" rx="2"/><path d="M8.5 20.5h7M12 16.5v4"/>'),
  sun: line(
    18,
    '<circle cx="12" cy="12" r="4"/><path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4"/>',
  ),
  moon: line(18, '<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z"/>'),
} as const;

const readText = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

/** The start of every page's stylesheet: tokens, elements, components. */
export const BASE_STYLE = readText('./base.css');

/** The signs of applications and providers. */
export const SIGN_STYLE = readText('./sign.css');

/** Blocks of code with a copy button, and the colors of their syntax. */
export const CODE_STYLE = readText('./code.css');

/** Reads a script without indentation and without comments on lines of their own: every page contains it. */
export const readScript = (url: URL): string => readFileSync(url, 'utf8').replace(/^ *(?:\/\/.*\n)?/gm, '');

/** The script of copy buttons. The page needs an element `said` for screen readers. */
export const COPY_SCRIPT = readScript(new URL('./copy.client.js', import.meta.url));

/** Removes comments and spaces: every page contains the style, which gets a quarter smaller. */
export const dense = (css: string): string =>
  css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replaceAll(': ', ':')
    .replaceAll(';}', '}');
