/**
 * Two languages nobody speaks, made from English, for those who test layouts: `lng=en-XA` is English
 * with accents, in [brackets] and about 40 % longer, as translations can be; `lng=ar-XB` is English
 * written from right to left. Text without brackets in `en-XA` comes from no catalogue. Only `lng`
 * names them: no browser asks for them, and no list of languages shows them.
 */
import { IntlMessageFormat } from 'intl-messageformat';

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
  return locale === 'en-XA' ? [textOf('['), ...changed, textOf(']')] : changed;
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

const textOf = (value: string): ParsedMessage[number] => ({ type: LITERAL, value });

/** Vowels, n and s twice: of a hundred characters of English some forty are one of these. */
const accented = (text: string): string =>
  [...text]
    .map((letter) => (ACCENTED[PLAIN.indexOf(letter)] ?? letter).repeat(/[aeiouns]/i.test(letter) ? 2 : 1))
    .join('');

/** Word by word, so that lines break as they do in Arabic. */
const mirrored = (text: string): string =>
  text.replace(/\S+/g, (word) => `${RIGHT_TO_LEFT_OVERRIDE}${word}${POP_DIRECTION}`);
