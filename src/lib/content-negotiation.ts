/**
 * Content negotiation (RFC 9110 §12): page or JSON, and the catalog for a reader (docs/wire.md 4.2; BCP 47, RFC 4647
 * §3.4 lookup). Tags are compared without regard to case, `_` is `-`, and withdrawn or narrow codes are replaced. The
 * first of these wins:
 *
 * 1. the variant itself: `pt-BR` → `pt-BR`, `zh-Hans-CN` → `zh-Hans`, and `de-AT-1996` and `en-u-ca-gregory` without
 *    their ends;
 * 2. the bare language: `de-CH` → `de`;
 * 3. the default variant of the language: `pt`, `pt-AO` → `pt-PT`; `zh`, `zh-SG`, `zh-TW` → `zh-Hans`;
 * 4. English.
 */

/** The locale if no other matches. */
export const FALLBACK_LOCALE = 'en';

/** The default variant of a language that has no catalog without a variant. */
const DEFAULT_VARIANTS: Readonly<Record<string, string>> = { pt: 'pt-pt', zh: 'zh-hans' };

/** The language preferences in a request. */
export type LocaleWish = {
  /** Named explicitly: it wins, and an unknown one means English (docs/wire.md 4.2). */
  readonly named?: string | undefined;
  /** The Accept-Language header (RFC 9110 §12.5.4). */
  readonly acceptLanguage?: string | undefined;
};

/** Returns one of `shipped`, or English. */
export function chooseLocale(wish: LocaleWish, shipped: readonly string[]): string {
  if (wish.named?.trim()) return matchLocale(wish.named, shipped) ?? FALLBACK_LOCALE;
  const ranges = weightedRanges(wish.acceptLanguage?.slice(0, 1000))
    // `*` names no language.
    .filter(({ range, quality }) => range !== '' && range !== '*' && quality > 0)
    // The sort is stable: of equal weights the first range comes first.
    .sort((a, b) => b.quality - a.quality);
  for (const { range } of ranges) {
    const match = matchLocale(range, shipped);
    if (match !== undefined) return match;
  }
  return FALLBACK_LOCALE;
}

/** Returns the shipped locale for a tag by rules 1 to 3; `undefined` if rule 4 applies. */
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

/** Returns the direction of a locale's script, left to right if it has no known one. */
export const directionOf = (locale: string): 'ltr' | 'rtl' =>
  new Intl.Locale(locale).getTextInfo().direction === 'rtl' ? 'rtl' : 'ltr';

/** Returns the lower-case subtags, the language replaced by the code that catalogs are named by. */
function canonicalParts(tag: string): string[] {
  // No registered tag is longer.
  const [language = '', ...rest] = tag.trim().slice(0, 64).toLowerCase().replaceAll('_', '-').split('-');
  return [canonicalLanguage(language), ...rest];
}

function canonicalLanguage(language: string): string {
  if (language === 'nb' || language === 'nn') return 'no';
  try {
    return new Intl.Locale(language).language;
  } catch {
    return language; // not well-formed, such as `*`
  }
}

/** Returns whether a client gets a page, not JSON (docs/wire.md 3.1): if it names HTML and does not prefer JSON. */
export function prefersPage(accept: string | undefined): boolean {
  const ranges = weightedRanges(accept);
  const quality = (type: string) => ranges.find(({ range }) => range === type)?.quality ?? 0;
  const page = Math.max(...['text/html', 'application/xhtml+xml', 'text/*'].map(quality));
  return page > 0 && page >= quality('application/json');
}

/** Parses Accept or Accept-Language: lower-case ranges with their weights from 0 to 1, 0 if one is malformed. */
const weightedRanges = (header = ''): { readonly range: string; readonly quality: number }[] =>
  header
    .toLowerCase()
    .split(',')
    .map((item) => {
      const [range = '', ...parameters] = item.split(';').map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
      return { range, quality: /^[01](\.\d{0,3})?$/.test(weight) ? Number(weight) : 0 };
    });
