/**
 * Which catalogue a reader gets (docs/wire.md 4.2; BCP 47, RFC 4647 §3.4 look-up): tags are compared without
 * regard to case, `_` is `-`, and old or narrow codes are read as the ones catalogues are named by. Then
 *
 * 1. the very variant: `pt-BR` → `pt-BR`, `zh-Hans-CN` → `zh-Hans`, `de-AT-1996` and `en-u-ca-gregory` with their ends cut off;
 * 2. the bare language: `de-CH` → `de`;
 * 3. the variant that stands for its language: `pt`, `pt-AO` → `pt-PT`; `zh`, `zh-SG`, `zh-TW` → `zh-Hans`;
 * 4. English.
 */

/** The last resort of every choice. */
export const FALLBACK_LOCALE = 'en';

/**
 * Written → read: codes that ISO 639 or CLDR withdrew, what browsers still send for them, members that
 * people name for their macrolanguage, and the two written forms of Norwegian.
 */
const LANGUAGE_ALIASES: Readonly<Record<string, string>> = {
  iw: 'he',
  in: 'id',
  ji: 'yi',
  nb: 'no',
  nn: 'no',
  tl: 'fil',
  mo: 'ro',
  sh: 'sr',
  cmn: 'zh',
  arb: 'ar',
  pes: 'fa',
  prs: 'fa',
};

/** The default variant of a language that has no catalogue without a variant. */
const DEFAULT_VARIANTS: Readonly<Record<string, string>> = { pt: 'pt-pt', zh: 'zh-hans' };

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['ar', 'he', 'fa', 'ur', 'yi', 'ps', 'ckb', 'dv']);

/** What a request says about its reader's language. */
export type LocaleWish = {
  /** Named outright: it wins, and an unknown one means English (docs/wire.md 4.2). */
  readonly named?: string | undefined;
  /** The Accept-Language header (RFC 9110 §12.5.4). */
  readonly acceptLanguage?: string | undefined;
};

/** One of `shipped`, or English. */
export function chooseLocale(wish: LocaleWish, shipped: readonly string[]): string {
  if (wish.named) return matchLocale(wish.named, shipped) ?? FALLBACK_LOCALE;
  for (const range of acceptedLanguages(wish.acceptLanguage)) {
    const match = matchLocale(range, shipped);
    if (match !== undefined) return match;
  }
  return FALLBACK_LOCALE;
}

/** The shipped locale for a tag by rules 1 to 3; `undefined` where rule 4 is to say. */
export function matchLocale(tag: string, shipped: readonly string[]): string | undefined {
  const parts = canonicalParts(tag);
  const language = parts[0] ?? '';
  const candidates = parts.map((_, dropped) => parts.slice(0, parts.length - dropped).join('-'));
  const variant = Object.hasOwn(DEFAULT_VARIANTS, language) ? DEFAULT_VARIANTS[language] : undefined;
  if (variant !== undefined) candidates.push(variant);
  for (const candidate of candidates) {
    const match = shipped.find((locale) => locale.toLowerCase() === candidate);
    if (match !== undefined) return match;
  }
  return undefined;
}

/** The direction a locale is written in. */
export function directionOf(locale: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(canonicalParts(locale)[0] ?? '') ? 'rtl' : 'ltr';
}

function canonicalParts(tag: string): string[] {
  // No registered tag is longer; whatever is has no catalogue.
  const [language = '', ...rest] = tag.trim().slice(0, 64).toLowerCase().replaceAll('_', '-').split('-');
  const alias = Object.hasOwn(LANGUAGE_ALIASES, language) ? LANGUAGE_ALIASES[language] : undefined;
  return [alias ?? language, ...rest];
}

/** The header's ranges, most wanted first. Those refused with q=0 are left out, and so is `*`: it names nothing. */
function acceptedLanguages(header: string | undefined): string[] {
  const ranges = (header ?? '')
    .slice(0, 1000)
    .split(',')
    .map((item) => {
      const [range = '', ...parameters] = item.split(';').map((part) => part.trim());
      const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? '1';
      return { range, quality: /^[01](\.\d{0,3})?$/.test(weight) ? Number(weight) : 0 };
    })
    .filter(({ range, quality }) => range !== '' && range !== '*' && quality > 0);
  // The sort is stable: of equal weights the one named first comes first.
  return ranges.sort((a, b) => b.quality - a.quality).map(({ range }) => range);
}
