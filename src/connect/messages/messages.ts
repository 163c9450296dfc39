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

export type PseudoLocale = 'en-XA' | 'ar-XB';

/** A message as parsed: ICU's syntax stays as it is, only the words in it change. */
export type ParsedMessage = ReturnType<IntlMessageFormat['getAst']>;

const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ACCENTED = [...'ÀƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞɊŔŠŢÛṼŴẊÝŽàƀçðéƒĝĥîĵķļɱñöþɋŕšţûṽŵẋýž'];
const RIGHT_TO_LEFT_OVERRIDE = '\u202e';
const POP_DIRECTION = '\u202c';
/** The parser's numbers for what is text, and for what has texts inside. */
const LITERAL = 0;

/** The pseudo-locale that a `lng` names outright, in any spelling of a tag (docs/wire.md 4.2). */
export function pseudoLocaleOf(named: string | undefined): PseudoLocale | undefined {
  const tag = named?.trim().replaceAll('_', '-').toLowerCase();
  return tag === 'en-xa' ? 'en-XA' : tag === 'ar-xb' ? 'ar-XB' : undefined;
}

/** An English message in the pseudo-locale, ready to be formatted as English. */
export function pseudoMessage(english: string, locale: PseudoLocale): ParsedMessage {
  const parsed = new IntlMessageFormat(english, 'en', undefined, { ignoreTag: true }).getAst();
  const change = locale === 'en-XA' ? accented : mirrored;
  const changed = withTexts(parsed, change);
  return locale === 'en-XA' ? [literal('['), ...changed, literal(']')] : changed;
}

function withTexts(message: ParsedMessage, change: (text: string) => string): ParsedMessage {
  return message.map((element) => {
    if (element.type === LITERAL) return { ...element, value: change(element.value) };
    if (!('options' in element)) return element;
    const options = Object.entries(element.options).map(([name, option]) => {
      return [name, { ...option, value: withTexts(option.value, change) }] as const;
    });
    return { ...element, options: Object.fromEntries(options) };
  });
}

const literal = (value: string): ParsedMessage[number] => ({ type: LITERAL, value });

/** Vowels, n and s twice: of a hundred characters of English some forty are one of these. */
const accented = (text: string): string =>
  [...text]
    .map((letter) => (ACCENTED[PLAIN.indexOf(letter)] ?? letter).repeat(/[aeiouns]/i.test(letter) ? 2 : 1))
    .join('');

/** Word by word, so that lines break as they do in Arabic. */
const mirrored = (text: string): string =>
  text.replace(/\S+/g, (word) => `${RIGHT_TO_LEFT_OVERRIDE}${word}${POP_DIRECTION}`);
