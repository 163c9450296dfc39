/**
 * HTML as a type of its own: whatever text stands in a template is escaped (ghtml does that), and only
 * markup made here or declared trusted is not.
 */
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
