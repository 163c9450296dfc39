/**
 * The Connect pages' words: one catalogue of ICU messages for each language (docs/wire.md 4.2). English says
 * which messages there are; a test holds the others to it. A catalogue is read when somebody first
 * needs its language, and a message is parsed when it is first shown.
 */
import { readFileSync } from 'node:fs';

import { IntlMessageFormat } from 'intl-messageformat';

import { type CatalogueMessages, messagesOf } from '../../design/messages.ts';
import { chooseLocale, FALLBACK_LOCALE, type LocaleWish } from '../../lib/content-negotiation.ts';
import en from './locales/en.json' with { type: 'json' };
import { type PseudoLocale, pseudoLocaleOf, pseudoMessage } from './pseudo-locale.ts';

export type MessageKey = keyof typeof en;
type Catalogue = Readonly<Partial<Record<MessageKey, string>>>;

/** The languages there is a catalogue for, in the order they are offered: that of their own names. */
export const LANGUAGES: readonly string[] = [
  ...['de', 'en', 'es', 'fr', 'it', 'nl', 'pl', 'pt-BR', 'pt-PT', 'tr', 'uk'],
  ...['he', 'ar', 'fa', 'ja', 'zh-Hans'],
];

/** One language's messages. */
export type Messages = CatalogueMessages<MessageKey>;

/** The language of a request: one of LANGUAGES, or a pseudo-locale that was named outright. */
export const chooseLanguage = (wish: LocaleWish): string =>
  pseudoLocaleOf(wish.named) ?? chooseLocale(wish, LANGUAGES);

/** A language's name for itself, as it stands in a list: `Português (Brasil)`. */
export function nativeName(language: string): string {
  // A country's variety is named by the country, as its neighbours in the list are; a script's has a name of its own.
  const languageDisplay = new Intl.Locale(language).region === undefined ? 'dialect' : 'standard';
  const names = new Intl.DisplayNames([language], { type: 'language', languageDisplay });
  const name = names.of(language) ?? language;
  const [first = '', ...rest] = name;
  return first.toLocaleUpperCase(language) + rest.join('');
}

const messagesByLanguage = new Map<string, Messages>();

/** The messages of a language, English when there is no catalogue for it. */
export function messagesFor(language: string): Messages {
  const pseudo = pseudoLocaleOf(language);
  if (pseudo === undefined && !LANGUAGES.includes(language)) return messagesFor(FALLBACK_LOCALE);
  const cached = messagesByLanguage.get(language);
  if (cached !== undefined) return cached;
  const messages = messagesOf(language, pseudo ? pseudoFormat(pseudo) : catalogueFormat(language));
  messagesByLanguage.set(language, messages);
  return messages;
}

type FormatOf = (key: MessageKey) => IntlMessageFormat;

function catalogueFormat(language: string): FormatOf {
  const catalogue = language === FALLBACK_LOCALE ? en : readCatalogue(language);
  return (key) => {
    const message = catalogue[key];
    // A catalogue that is behind English speaks English where it is: the user can still go on.
    const locale = message === undefined ? FALLBACK_LOCALE : language;
    return new IntlMessageFormat(message ?? en[key], locale, undefined, { ignoreTag: true });
  };
}

/** Counts and numbers are English there, as the words are. */
const pseudoFormat =
  (locale: PseudoLocale): FormatOf =>
  (key) =>
    new IntlMessageFormat(pseudoMessage(en[key], locale), FALLBACK_LOCALE);

function readCatalogue(language: string): Catalogue {
  const file = new URL(`./locales/${language}.json`, import.meta.url);
  // Our own file, whose keys and values a test holds against English.
  return JSON.parse(readFileSync(file, 'utf8')) as Catalogue;
}
