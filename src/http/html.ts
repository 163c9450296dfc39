/**
 * HTML as a type of its own: whatever text stands in a template is escaped (ghtml does that), and only
 * markup made here or declared trusted is not. Pages leave with the headers every page must have.
 */
import { hash } from 'node:crypto';

import type { FastifyReply } from 'fastify';
import { html as escapingTemplate } from 'ghtml';

/** Markup that is safe to send: made by `html`, or by `trusted` of our own constants. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** `undefined` and `false` show nothing, so that `condition && html…` can stand in a template. */
export type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];

/** The template tag: text is escaped for content and for quoted attributes, Html stays as it is. */
export function html(literals: TemplateStringsArray, ...values: HtmlValue[]): Html {
  const pieces = literals.map((literal, i) => literal + markupOf(values[i]));
  return new Html(pieces.join(''));
}

/** Markup from a constant of the program; never from input. */
export const trusted = (markup: string): Html => new Html(markup);

function markupOf(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(markupOf).join('');
  return escapingTemplate`${String(value)}`;
}

/** What a page's Content-Security-Policy opens; everything else is closed. */
export type PagePolicy = {
  /** The sources of its stylesheets, such as `'sha256-…'`, with spaces between. */
  readonly styleSource: string;
  /** The source of its script; without one none runs. */
  readonly scriptSource?: string;
  /** The sources of its pictures, its icon's among them; without one it has none. */
  readonly imageSource?: string;
  /** Whether its script asks this origin. */
  readonly connects?: boolean;
  /** Where forms may lead beside this origin, redirects after them included. */
  readonly formTargets: readonly string[];
};

/** The source that admits exactly this stylesheet or script, where it stands in a page (CSP 3 §2.3.1). */
export const hashSource = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/** Sends a page that is never cached, framed or sniffed and tells nobody where its reader came from. */
export function sendPage(reply: FastifyReply, status: number, page: Html, policy: PagePolicy): FastifyReply {
  const directives = [
    "default-src 'none'",
    `style-src ${policy.styleSource}`,
    ...(policy.scriptSource === undefined ? [] : [`script-src ${policy.scriptSource}`]),
    ...(policy.imageSource === undefined ? [] : [`img-src ${policy.imageSource}`]),
    ...(policy.connects ? ["connect-src 'self'"] : []),
    `form-action ${["'self'", ...policy.formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return privately(reply)
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', directives.join('; '))
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
    .send(`<!doctype html>\n${page.markup}`);
}

/** Marks an answer that a code, a state or an account passes in: no cache keeps it, no referrer tells it. */
export function privately(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
}
