/** HTML pages of sandbox providers: uncached, unframed, without scripts, and each marked as the sandbox's. */
import { readFileSync } from 'node:fs';

import { type Html, html, trusted } from '../../src/http/html.ts';
import { hashSource } from '../../src/http/page.ts';
import type { SandboxAnswer } from './sandbox-server.ts';

const read = (file: string | URL) => readFileSync(new URL(file, import.meta.url), 'utf8');

/** Stylesheets after the one that all pages of the sandbox begin with. */
export const withBaseStyles = (...stylesheets: readonly (string | URL)[]): string =>
  ['./base.css', ...stylesheets].map(read).join('');

const STYLES = withBaseStyles('./sandbox-pages.css');

export const STYLE_SOURCE = hashSource(STYLES);

export type PageLook = {
  readonly styles: string;
  /** The class of the body, which selects the colors. */
  readonly className?: string;
};

export type SandboxPage = {
  /** The provider whose sign-in the page imitates: `Google`. */
  readonly provider: string;
  readonly title: string;
  readonly content: Html;
  /** Further origins to which its forms, and redirects after them, may lead. */
  readonly formTargets?: readonly string[];
};

export function pageAnswer(
  status: number,
  { provider, title, content, formTargets = [] }: SandboxPage,
): SandboxAnswer {
  const page = sandboxDocument(
    title,
    html`<main class="sign-in"><div class="card">
<p class="sandbox">Sandbox: a stand-in for ${provider}’s sign-in</p>
<h1>${title}</h1>
${content}
</div></main>`,
  );
  const policy = [
    "default-src 'none'",
    `style-src ${STYLE_SOURCE}`,
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
    body: `<!doctype html>\n${page.markup}`,
  };
}

/** Renders the document around each of the sandbox's own pages; the demo's pages look different. */
export function sandboxDocument(title: string, body: Html, look: PageLook = { styles: STYLES }): Html {
  return html`<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<style>${trusted(look.styles)}</style>
</head>
<body${look.className && html` class="${look.className}"`}>
${body}
</body>
</html>
`;
}

/** A row for each account; its button, named by the address, is as large as the row. */
export function accountButtons(people: readonly { readonly email: string; readonly name: string }[]): Html {
  if (people.length === 0) return html`<p>Nobody has an account here.</p>`;
  const rows = people.map(
    ({
      email,
      name,
    }) => html`<li class="account"><span class="initial" aria-hidden="true">${name.slice(0, 1)}</span>
<div>${name}<button name="account" value="${email}">${email}</button></div></li>`,
  );
  return html`<ul class="list">${rows}</ul>`;
}

/** The text for pages without a way to continue; the providers' own have none. */
export const DEAD_END: Html = html`<p>Your browser’s back button leads to the application. A fault that was switched on in the
sandbox’s controls is switched off there.</p>`;

/** JSON that no cache keeps. */
export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): SandboxAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=UTF-8', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(value),
  };
}
