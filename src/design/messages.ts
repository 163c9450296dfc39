/** Renders ICU messages of a catalog as text, or as markup that isolates names from the line's direction. */
import type { IntlMessageFormat } from 'intl-messageformat';

import { type Html, html } from '../http/html.ts';
import { directionOf } from '../lib/content-negotiation.ts';

/** The values in a message: text, a count, or markup such as an isolated name. */
export type MessageValues = Readonly<Record<string, string | number | Html>>;

export type CatalogueMessages<Key extends string> = {
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  /** The separator between two sentences. Empty if the language's full stop includes its space. */
  readonly gap: '' | ' ';
  /** Returns the message as text. */
  text(key: Key, values?: Readonly<Record<string, string | number>>): string;
  /** Returns the message as markup. Text values are isolated, so that no name changes the line's direction. */
  markup(key: Key, values?: MessageValues): Html;
};

/** Returns the messages of one language. Each is parsed when it is first used. */
export function createMessages<Key extends string>(
  language: string,
  make: (key: Key) => IntlMessageFormat,
): CatalogueMessages<Key> {
  const formats = new Map<Key, IntlMessageFormat>();
  const loadFormat = (key: Key) => {
    const format = formats.get(key) ?? make(key);
    formats.set(key, format);
    return format;
  };

  return {
    language,
    direction: directionOf(language),
    gap: /^(ja|zh)\b/.test(language) ? '' : ' ',
    text: (key, values = {}) => String(loadFormat(key).format({ ...values })),
    markup(key, values = {}) {
      const isolated = Object.entries(values).map(([name, value]) => {
        return [name, typeof value === 'string' ? html`<bdi>${value}</bdi>` : value] as const;
      });
      const formatted = loadFormat(key).format<Html>(Object.fromEntries(isolated));
      const parts = Array.isArray(formatted) ? formatted : [formatted];
      return html`${parts}`;
    },
  };
}
