/** The shared parts of the demo's pages: the document around them and their one stylesheet. */
import { type Html, html, trusted } from '../../src/http/html.ts';
import { hashSource, type PagePolicy } from '../../src/http/page.ts';
import { sandboxDocument, withBaseStyles } from '../core/page-answer.ts';
import type { Notice } from './demo-session.ts';

const STYLES = withBaseStyles(
  new URL('./demo.css', import.meta.url),
  new URL('./deliveries.css', import.meta.url),
);

const STYLE_SOURCE = hashSource(STYLES);

/** The form of the connect button redirects to Kalends, so browsers require that origin as a form target. */
export const pagePolicy = (kalendsUrl: string): PagePolicy => ({
  styleSource: STYLE_SOURCE,
  formTargets: [kalendsUrl],
});

export function demoLayout(title: string, content: Html): Html {
  const body = html`<header><a class="name" href="/">${LOGO} Tideline</a><span>a demo application of the Kalends sandbox</span></header>
<main>
${content}
</main>`;
  return sandboxDocument(title, body, { styles: STYLES, className: 'demo' });
}

const LOGO = trusted(
  '<svg width="28" height="28" viewBox="0 0 28 28" aria-hidden="true" focusable="false">' +
    '<rect width="28" height="28" rx="8" fill="currentColor"/>' +
    '<path d="M5 12c3-3 6 3 9 0s6 3 9 0M5 18c3-3 6 3 9 0s6 3 9 0" fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round"/></svg>',
);

/** A presentation attribute: the policy of the page forbids inline styles. */
export const dot = (color = '#8a93a5'): Html =>
  html`<svg class="dot" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true" focusable="false"><circle cx="6" cy="6" r="6" fill="${color}"/></svg>`;

/** Renders a notice about a success or an error. */
export function noticeOf(notice: Notice | undefined): Html | undefined {
  if (notice === undefined) return undefined;
  return notice.kind === 'done'
    ? html`<p class="notice" role="status">${notice.text}</p>`
    : html`<p class="notice bad" role="alert">${notice.text}</p>`;
}

export const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  google: 'Google',
  microsoft: 'Microsoft',
  apple: 'Apple',
  caldav: 'CalDAV',
};
