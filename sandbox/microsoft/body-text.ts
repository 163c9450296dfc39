/**
 * Plain text as Exchange keeps it, which is HTML, and the text of HTML. A text survives the way there and back, also through
 * a client that copies the HTML. Which entities and elements Exchange writes no source shows as a whole.
 */
import type { ItemBody } from '@microsoft/microsoft-graph-types';

import { html } from '../../src/http/html.ts';

/** A space that HTML would take together with another one, or drop at the end of a line. */
const LOST_SPACE = /^ | $|(?<= ) /gm;

export const htmlOfText = (text: string): string =>
  html`${text}`.markup
    .replace(LOST_SPACE, '&nbsp;')
    .replaceAll('\r', '&#13;')
    .replaceAll('\t', '&#9;')
    .replaceAll('\n', '<br>\n');

const NAMED: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['nbsp', ' '],
  ['amp', '&'],
]);

export function plainText({ content, contentType }: ItemBody = {}): string {
  if (contentType !== 'html') return content ?? '';
  return (
    (content ?? '')
      // Line feeds of the source are spaces.
      .replace(/[ \t\r\n]+/g, ' ')
      .replace(/<\/p>/gi, '\n')
      .replace(/ ?<br\s*\/?> ?/gi, '\0')
      .replace(/<[^>]*>/g, '')
      .trim()
      .replaceAll('\0', '\n')
      .replace(/&(?:#(\d{1,6})|(\w{2,4}));/g, (entity, code?: string, name = '') =>
        code === undefined ? (NAMED.get(name) ?? entity) : String.fromCodePoint(Number(code)),
      )
  );
}
