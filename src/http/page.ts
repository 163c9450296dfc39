/** Pages of the whole program: their document, Content-Security-Policy and headers. */
import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { type Html, html, trusted } from './html.ts';

/** A stylesheet or script in a page, and the CSP source that allows only it (CSP 3 §2.3.1). */
export type InlineCode = { readonly element: Html; readonly source: string };

/** From a constant of the program; never from input. */
export const inlineStyle = (text: string): InlineCode => ({
  element: html`<style>${trusted(text)}</style>`,
  source: hashSource(text),
});

/** From a constant of the program; never from input. */
export const inlineScript = (text: string): InlineCode => ({
  element: html`<script>${trusted(text)}</script>`,
  source: hashSource(text),
});

/** Returns the source that allows exactly this stylesheet or script in a page. */
export const hashSource = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/** The exceptions in a page's Content-Security-Policy; everything else is forbidden. */
export type PagePolicy = {
  /** The sources of its stylesheets, such as `'sha256-…'`, with spaces between. */
  readonly styleSource: string;
  /** The sources of its scripts. Undefined if no script may run. */
  readonly scriptSource?: string;
  /** The sources of its pictures, including its icon. Undefined if it has no pictures. */
  readonly imageSource?: string;
  /** Whether its script may send requests to this origin. */
  readonly connects?: boolean;
  /** The targets of forms besides this origin, including redirects after them. */
  readonly formTargets?: readonly string[];
  /** Whether it has frames with pages of this origin. */
  readonly hasFrames?: boolean;
  /** Whether the page is a preview in a frame of this origin: nothing in it runs, links or is sent. */
  readonly isPreview?: boolean;
};

/** A whole document and the exceptions that its Content-Security-Policy needs. */
export type Page = { readonly document: Html; readonly policy: PagePolicy };

export type PageContent = {
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  /** The color scheme, for the stylesheet. */
  readonly theme: string;
  readonly title: string;
  /** The icon of the browser tab, as a `data:` address, so that it needs no second request. */
  readonly icon: Html;
  /** In this order: a later one, such as a brand's custom properties, overrides the one before. */
  readonly styles: readonly InlineCode[];
  /** All scripts in `body`. */
  readonly scripts: readonly InlineCode[];
  /** The whole `<body>` element. */
  readonly body: Html;
  /** The id of the element in `body` that must exist before anything is drawn. */
  readonly drawnOnceAt: string;
  /** The path on this server to which a browser without scripts continues, after this many seconds. */
  readonly goesOn?: { readonly path: string; readonly seconds: number } | undefined;
} & Pick<PagePolicy, 'imageSource' | 'connects' | 'hasFrames' | 'isPreview'>;

/** Renders a document. `rel="expect"` delays drawing: centered lines would otherwise move as the rest arrives. */
export function buildPage(content: PageContent): Page {
  const { language, direction, theme, title, icon, styles, scripts, body, drawnOnceAt, goesOn, ...opened } =
    content;
  const [style, ...overrides] = styles.map(({ element }) => element);
  const document = html`<html lang="${language}" dir="${direction}" data-theme="${theme}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="${icon}">
${goesOn && html`<noscript><meta http-equiv="refresh" content="${goesOn.seconds}; url=${goesOn.path}"></noscript>`}
<link rel="expect" href="#${drawnOnceAt}" blocking="render">
${style}
${overrides}
</head>
${body}
</html>
`;
  const scriptSource = scripts.length > 0 && { scriptSource: joinSources(scripts) };
  return { document, policy: { styleSource: joinSources(styles), ...scriptSource, ...opened } };
}

const joinSources = (code: readonly InlineCode[]): string => code.map(({ source }) => source).join(' ');

/** Returns the header. Everything that the policy does not allow is forbidden. */
export function contentSecurityPolicy(policy: PagePolicy): string {
  const directives = [
    "default-src 'none'",
    `style-src ${policy.styleSource}`,
    ...(policy.scriptSource === undefined ? [] : [`script-src ${policy.scriptSource}`]),
    ...(policy.imageSource === undefined ? [] : [`img-src ${policy.imageSource}`]),
    ...(policy.connects ? ["connect-src 'self'"] : []),
    ...(policy.hasFrames ? ["frame-src 'self'"] : []),
    ...(policy.isPreview
      ? // `allow-same-origin` lets its pictures load. Scripts, forms and windows stay off.
        ["form-action 'none'", "frame-ancestors 'self'", 'sandbox allow-same-origin']
      : [`form-action ${["'self'", ...(policy.formTargets ?? [])].join(' ')}`, "frame-ancestors 'none'"]),
    "base-uri 'none'",
  ];
  return directives.join('; ');
}

/** Sends a page that is never cached or sniffed, never framed unless it is a preview, and sends no referrer. */
export const sendPage = (reply: FastifyReply, { document, policy }: Page, status = 200): FastifyReply =>
  privately(reply)
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', contentSecurityPolicy(policy))
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', policy.isPreview ? 'SAMEORIGIN' : 'DENY')
    .send(`<!doctype html>\n${document.markup}`);

/** Redirects after a form with 303, so that the browser never sends the form on (RFC 9700 §4.12). */
export const seeOther = (reply: FastifyReply, location: string): FastifyReply =>
  privately(reply).code(303).header('location', location).send();

/** Marks a response that contains a code, a state or an account: no cache stores it, and it sends no referrer. */
export const privately = (reply: FastifyReply): FastifyReply =>
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
