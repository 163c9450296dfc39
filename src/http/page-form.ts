/** The forms of pages: the token that proves their origin, and the typed fields. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type Html, html } from './html.ts';

export const TOKEN_FIELD = 'token';

/** Renders the hidden token of a form that is posted. `isFromRequestPage` checks it. */
export const tokenField = (token: string): Html =>
  html`<input type="hidden" name="${TOKEN_FIELD}" value="${token}">`;

/** Returns a field's text: the first if it is repeated, `undefined` if it is not a text. */
export const formField = (body: unknown, name: string): string | undefined => formValues(body, name)[0];

/** Returns all texts of a field, which is repeated for each checked box. */
export function formValues(body: unknown, name: string): readonly string[] {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return [];
  const value = (body as Record<string, unknown>)[name]; // any object is one
  return [value].flat().filter((one) => typeof one === 'string');
}

/** The headers and token that show where a form was sent from. */
export type FormOrigin = {
  readonly token: string | undefined;
  readonly secFetchSite: string | undefined;
  readonly origin: string | undefined;
  readonly host: string | undefined;
};

export function readFormOrigin({ body, headers }: Pick<FastifyRequest, 'body' | 'headers'>): FormOrigin {
  const { origin, host } = headers;
  const secFetchSite = [headers['sec-fetch-site']].flat()[0];
  return { token: formField(body, TOKEN_FIELD), secFetchSite, origin, host };
}

/** Whether a form has its page's `token` and no header says otherwise. `Origin: null` (no-referrer) says nothing. */
export const isFromRequestPage = (form: FormOrigin, token: string, publicUrl: string): boolean =>
  equalSecrets(form.token ?? '', token) && !isFromOtherSite(form, publicUrl);

/** Whether a header says that a form came from a page that is not ours. */
export function isFromOtherSite(form: FormOrigin, publicUrl: string): boolean {
  if (form.secFetchSite !== undefined && !['same-origin', 'none'].includes(form.secFetchSite)) return true;
  if (form.origin === undefined || form.origin === 'null' || form.origin === publicUrl) return false;
  // If the server is reached under another name than the public one, the browser's origin is the requested host.
  return form.host === undefined || URL.parse(form.origin)?.host !== form.host;
}

/** Compares in constant time. */
function equalSecrets(presented: string, expected: string): boolean {
  const digest = (text: string) => Buffer.from(hash('sha256', text), 'hex');
  return timingSafeEqual(digest(presented), digest(expected));
}
