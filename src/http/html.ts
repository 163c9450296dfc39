/** HTML as a type: text in a template is escaped (by ghtml), unless it is Html. */
import { html as escapingTemplate } from 'ghtml';

/** Markup that is safe to send: created by `html`, or by `trusted` from our own constants. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** `undefined` and `false` render nothing, for `condition && html…`. */
export type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];

/** Renders a template: text is escaped for content and quoted attributes, Html is inserted unchanged. */
export function html(literals: TemplateStringsArray, ...values: HtmlValue[]): Html {
  const pieces = literals.map((literal, i) => literal + renderMarkup(values[i]));
  return new Html(pieces.join(''));
}

/** Marks a constant of the program as safe markup. Never use it for input. */
export const trusted = (markup: string): Html => new Html(markup);

function renderMarkup(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(renderMarkup).join('');
  return escapingTemplate`${String(value)}`;
}
