/**
 * The Connect pages' words: one catalogue of ICU messages for each language (wire 4.2). English says
 * which messages there are; a test holds the others to it.
 */
import { IntlMessageFormat } from 'intl-messageformat';

import { type Html, html } from '../http/html.ts';
import { chooseLocale, directionOf, FALLBACK_LOCALE, type LocaleWish } from '../lib/locale.ts';
import ar from './locales/ar.json' with { type: 'json' };
import en from './locales/en.json' with { type: 'json' };
import es from './locales/es.json' with { type: 'json' };
import fa from './locales/fa.json' with { type: 'json' };
import fr from './locales/fr.json' with { type: 'json' };
import he from './locales/he.json' with { type: 'json' };

export type MessageKey = keyof typeof en;
type Catalogue = Readonly<Record<MessageKey, string>>;

const CATALOGUES: Readonly<Record<string, Catalogue>> = { en, es, fr, ar, he, fa };

/** The languages there is a catalogue for. */
export const LANGUAGES: readonly string[] = Object.keys(CATALOGUES);

/** What a message is told: text, a count, or markup such as an isolated name. */
export type MessageValues = Readonly<Record<string, string | number | Html>>;

/** One language's messages. */
export type Messages = {
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  /** The message as text. */
  text(key: MessageKey, values?: Readonly<Record<string, string | number>>): string;
  /** The message as markup: values that are text are isolated, so that no name upsets the line's direction. */
  markup(key: MessageKey, values?: MessageValues): Html;
};

/** The language of a request: one of LANGUAGES. */
export const chooseLanguage = (wish: LocaleWish): string => chooseLocale(wish, LANGUAGES);

const messagesByLanguage = new Map<string, Messages>();

/** The messages of a language, English when there is no catalogue for it. */
export function messagesFor(language: string): Messages {
  const known = messagesByLanguage.get(language);
  if (known !== undefined) return known;
  const catalogue = Object.hasOwn(CATALOGUES, language) ? CATALOGUES[language] : undefined;
  const messages = catalogue ? messagesOf(language, catalogue) : messagesFor(FALLBACK_LOCALE);
  messagesByLanguage.set(language, messages);
  return messages;
}

function messagesOf(language: string, catalogue: Catalogue): Messages {
  const formats = new Map<MessageKey, IntlMessageFormat>();
  const formatOf = (key: MessageKey): IntlMessageFormat => {
    const known = formats.get(key);
    if (known !== undefined) return known;
    const format = new IntlMessageFormat(catalogue[key], language, undefined, { ignoreTag: true });
    formats.set(key, format);
    return format;
  };

  return {
    language,
    direction: directionOf(language),
    text: (key, values = {}) => String(formatOf(key).format({ ...values })),
    markup(key, values = {}) {
      const isolated = Object.entries(values).map(([name, value]) => {
        return [name, typeof value === 'string' ? html`<bdi>${value}</bdi>` : value] as const;
      });
      const formatted = formatOf(key).format<Html>(Object.fromEntries(isolated));
      const parts = Array.isArray(formatted) ? formatted : [formatted];
      return html`${parts}`;
    },
  };
}
