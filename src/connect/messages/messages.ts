/** The texts of the Connect pages: a catalog of ICU messages per language (docs/wire.md 4.2), read when first used. */
import { readFileSync } from 'node:fs';
import { IntlMessageFormat } from 'intl-messageformat';
import { type CatalogueMessages, createMessages } from '../../design/messages.ts';
import { chooseLocale, FALLBACK_LOCALE, type LocaleWish } from '../../lib/content-negotiation.ts';
import en from './locales/en.json' with { type: 'json' };

export type MessageKey = keyof typeof en;
type Catalogue = Readonly<Partial<Record<MessageKey, string>>>;

/** The languages with a catalog, sorted by their own names. */
export const LANGUAGES: readonly string[] = [
  ...['de', 'en', 'es', 'fr', 'it', 'nl', 'pl', 'pt-BR', 'pt-PT', 'tr', 'uk'],
  ...['he', 'ar', 'fa', 'ja', 'zh-Hans'],
];

export type Messages = CatalogueMessages<MessageKey>;

/** Returns the language of a request: one of LANGUAGES, or a pseudo-locale that was named exactly. */
export const chooseLanguage = (wish: LocaleWish): string =>
  parsePseudoLocale(wish.named) ?? chooseLocale(wish, LANGUAGES);

/** Returns a language's name for itself, as in a list: `Português (Brasil)`. */
export function nativeName(language: string): string {
  // A variant of a country is named after the country; a variant of a script has its own name.
  const languageDisplay = new Intl.Locale(language).region === undefined ? 'dialect' : 'standard';
  const names = new Intl.DisplayNames([language], { type: 'language', languageDisplay });
  const name = names.of(language) ?? language;
  const [first = '', ...rest] = name;
  return first.toLocaleUpperCase(language) + rest.join('');
}

const messagesByLanguage = new Map<string, Messages>();

/** Returns the messages of a language; English if there is no catalog. */
export function messagesFor(language: string): Messages {
  const pseudo = parsePseudoLocale(language);
  if (pseudo === undefined && !LANGUAGES.includes(language)) return messagesFor(FALLBACK_LOCALE);
  const cached = messagesByLanguage.get(language);
  if (cached !== undefined) return cached;
  const messages = createMessages(language, pseudo ? pseudoFormat(pseudo) : catalogueFormat(language));
  messagesByLanguage.set(language, messages);
  return messages;
}

type FormatOf = (key: MessageKey) => IntlMessageFormat;

function catalogueFormat(language: string): FormatOf {
  const catalogue = language === FALLBACK_LOCALE ? en : readCatalogue(language);
  return (key) => {
    const message = catalogue[key];
    // Messages that a catalog does not have yet are shown in English, so that the user can continue.
    const locale = message === undefined ? FALLBACK_LOCALE : language;
    return new IntlMessageFormat(message ?? en[key], locale, undefined, { ignoreTag: true });
  };
}

/** The rules for counts and numbers are English, like the text. */
const pseudoFormat =
  (locale: PseudoLocale): FormatOf =>
  (key) =>
    new IntlMessageFormat(pseudoMessage(en[key], locale), FALLBACK_LOCALE);

function readCatalogue(language: string): Catalogue {
  const file = new URL(`./locales/${language}.json`, import.meta.url);
  // Our own file: a test compares its keys and values with English.
  return JSON.parse(readFileSync(file, 'utf8')) as Catalogue;
}

export type PseudoLocale = 'en-XA' | 'ar-XB';

export type ParsedMessage = ReturnType<IntlMessageFormat['getAst']>;

const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ACCENTED = [...'ÀƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞɊŔŠŢÛṼŴẊÝŽàƀçðéƒĝĥîĵķļɱñöþɋŕšţûṽŵẋýž'];
const RIGHT_TO_LEFT_OVERRIDE = '\u202e';
const POP_DIRECTION = '\u202c';
/** The parser's type number for text. */
const LITERAL = 0;

/** Returns the pseudo-locale that a `lng` names, in any spelling of the tag (docs/wire.md 4.2). */
export function parsePseudoLocale(named: string | undefined): PseudoLocale | undefined {
  const tag = named?.trim().replaceAll('_', '-').toLowerCase();
  return tag === 'en-xa' ? 'en-XA' : tag === 'ar-xb' ? 'ar-XB' : undefined;
}

/** Returns an English message in the pseudo-locale, to be formatted as English. */
export function pseudoMessage(english: string, locale: PseudoLocale): ParsedMessage {
  const parsed = new IntlMessageFormat(english, 'en', undefined, { ignoreTag: true }).getAst();
  const change = locale === 'en-XA' ? accented : mirrored;
  const changed = withTexts(parsed, change);
  return locale === 'en-XA' ? [literal('['), ...changed, literal(']')] : changed;
}

const withTexts = (message: ParsedMessage, change: (text: string) => string): ParsedMessage =>
  message.map((element) => {
    if (element.type === LITERAL) return { ...element, value: change(element.value) };
    if (!('options' in element)) return element;
    const options = Object.entries(element.options).map(([name, option]) => {
      return [name, { ...option, value: withTexts(option.value, change) }] as const;
    });
    return { ...element, options: Object.fromEntries(options) };
  });

const literal = (value: string): ParsedMessage[number] => ({ type: LITERAL, value });

/** Doubles vowels, n and s, which are about forty percent of English letters. */
const accented = (text: string): string =>
  [...text]
    .map((letter) => (ACCENTED[PLAIN.indexOf(letter)] ?? letter).repeat(/[aeiouns]/i.test(letter) ? 2 : 1))
    .join('');

/** Mirrors word by word, so that lines break as in Arabic. */
const mirrored = (text: string): string =>
  text.replace(/\S+/g, (word) => `${RIGHT_TO_LEFT_OVERRIDE}${word}${POP_DIRECTION}`);
