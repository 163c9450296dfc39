/** HTML pages of sandbox providers: uncached, unframed, without scripts. */
import { hash } from 'node:crypto';

import { type Html, html, trusted } from '../../src/http/html.ts';
import type { SandboxAnswer } from './sandbox-server.ts';

const STYLES = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-inline-size: 28rem; margin: 12vh auto; padding-inline: 1.5rem; }
h1 { font-size: 1.5rem; line-height: 1.2; }
form, ul { display: grid; gap: .75rem; padding: 0; list-style: none; }
fieldset { border: 1px solid #8886; border-radius: .5rem; display: grid; gap: .5rem; }
button { font: inherit; padding: .6rem 1rem; cursor: pointer; text-align: start; inline-size: 100%; }
.row { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; }
.quiet { opacity: .75; }`;

const STYLE_SOURCE = `'sha256-${hash('sha256', STYLES, 'base64')}'`;

export type SandboxPage = {
  readonly title: string;
  readonly content: Html;
  /** Origins its forms may lead to, redirects after them included, beside its own. */
  readonly formTargets?: readonly string[];
};

export function pageAnswer(status: number, { title, content, formTargets = [] }: SandboxPage): SandboxAnswer {
  const page = html`<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${trusted(STYLES)}</style>
</head>
<body><main><h1>${title}</h1>${content}</main></body>
</html>
`;
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
