/**
 * Derives the colors of the Connect pages from an application's primary color, readable in both schemes for any color
 * (WCAG 2.2 §1.4.3, §1.4.11). The hue stays; the lightness moves as little as necessary.
 */
import type { Oklch } from 'culori';

/** `#rrggbb` in lower case. */
export type HexColor = string;

/** The colors of one scheme, which replace the stylesheet's own tokens. */
export type SchemeColors = {
  /** `--accent`: text, links, icons and focus rings on every ground. */
  readonly accent: HexColor;
  /** `--button`: the background of the primary button. It is the brand's own color, because the text on it adapts. */
  readonly button: HexColor;
  readonly buttonHover: HexColor;
  readonly onButton: HexColor;
  /** `--tint`: the soft background of icons in the accent color. */
  readonly tint: HexColor;
};

export type BrandColors = { readonly light: SchemeColors; readonly dark: SchemeColors };

/** The backgrounds of the accent: the tokens of base.css by their names; a test compares them. */
export const GROUNDS = {
  light: {
    ground: '#f6f7f9',
    card: '#ffffff',
    raised: '#ffffff',
    hover: '#f1f3f6',
    'good-tint': '#e6f5ec',
    'bad-tint': '#fdecec',
    'warn-tint': '#fdf4e3',
  },
  dark: {
    ground: '#0d1016',
    card: '#13171e',
    raised: '#1b2029',
    hover: '#1c212b',
    'good-tint': '#14291f',
    'bad-tint': '#351a1d',
    'warn-tint': '#2e2413',
  },
} as const;

/** The lowest contrast of text. Icons and focus rings need 3, which the accent therefore has too. */
export const TEXT_CONTRAST = 4.5;

/** The lowest contrast of a button to the card; its text already shows that it is a button. */
export const BUTTON_CONTRAST = 1.4;

/** Lightness and chroma are those of OKLCH: 0 to 1, and 0 to about 0.3. */
const RECIPES = {
  light: { tint: { l: 0.955, c: 0.024 }, away: -1 },
  dark: { tint: { l: 0.28, c: 0.05 }, away: 1 },
} as const;
const WHITE = '#ffffff';
const DARK_INK = { l: 0.19, c: 0.05 };
/** A step finer than the difference of eight bits per channel. */
const LIGHTNESS_STEP = 0.002;
/** The limit of cached colors. They come from the few applications of an instance, but nothing else limits them. */
const MOST_KEPT = 500;

type Culori = typeof import('culori/require');
type Scheme = keyof typeof RECIPES;

let loading: Promise<Culori> | undefined;
const cache = new Map<HexColor, BrandColors>();

/** Returns the colors for a primary color, `#rrggbb` in lower case. Throws TypeError for anything else. */
export async function brandColors(primary: HexColor): Promise<BrandColors> {
  const cached = cache.get(primary);
  if (cached !== undefined) return cached;
  if (!/^#[\da-f]{6}$/.test(primary)) throw new TypeError('The primary color is not #rrggbb');
  // The library's one bundled file takes 8 MB and 15 ms, so an instance without brand colors does not load it.
  loading ??= import('culori/require').then((module) => module.default);
  const culori = await loading;
  const brand = culori.oklch(primary);
  if (brand === undefined) throw new TypeError('The primary color cannot be read');
  const colors = { light: schemeColors(culori, brand, 'light'), dark: schemeColors(culori, brand, 'dark') };
  if (cache.size >= MOST_KEPT) cache.clear();
  cache.set(primary, colors);
  return colors;
}

/** Returns the custom properties as a stylesheet's rule, which must follow base.css. */
export function brandRule({ light, dark }: BrandColors): string {
  const keys = ['accent', 'button', 'buttonHover', 'onButton', 'tint'] as const;
  const properties = keys.map((key) => {
    const name = key.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`);
    return `--${name}:light-dark(${light[key]},${dark[key]})`;
  });
  return `:root{${properties.join(';')}}`;
}

function schemeColors(culori: Culori, brand: Oklch, scheme: Scheme): SchemeColors {
  const { tint: soft, away } = RECIPES[scheme];
  const tint = toHex(culori, muted(brand, soft));
  const grounds = [...Object.values(GROUNDS[scheme]), tint];
  const accent = toHex(culori, distinct(culori, { start: brand, away, on: grounds, least: TEXT_CONTRAST }));
  return { accent, tint, ...buttonColors(culori, brand, scheme) };
}

function buttonColors(culori: Culori, brand: Oklch, scheme: Scheme) {
  const on = [GROUNDS[scheme].card];
  const ground = distinct(culori, { start: brand, away: RECIPES[scheme].away, on, least: BUTTON_CONTRAST });
  const button = toHex(culori, ground);
  const isWhiteRead = culori.wcagContrast(WHITE, button) >= TEXT_CONTRAST;
  const buttonHover = toHex(culori, { ...ground, l: hoverLightness(ground.l, isWhiteRead) });
  const ink = { start: muted(brand, DARK_INK), away: -1, on: [button, buttonHover], least: TEXT_CONTRAST };
  return { button, buttonHover, onButton: isWhiteRead ? WHITE : toHex(culori, distinct(culori, ink)) };
}

/** Moves away from the text on it, but near black or white, where a further step is invisible, toward it. */
function hoverLightness(lightness: number, isWhiteRead: boolean): number {
  if (isWhiteRead) return lightness < 0.27 ? lightness + 0.2 : lightness - 0.07;
  return lightness > 0.9 ? lightness - 0.08 : lightness + 0.07;
}

const muted = (brand: Oklch, { l, c }: { readonly l: number; readonly c: number }): Oklch => ({
  ...brand,
  l,
  c: Math.min(brand.c, c),
});

type Search = {
  readonly start: Oklch;
  /** The direction away from the background: 1 lighter, -1 darker. */
  readonly away: number;
  readonly on: readonly HexColor[];
  readonly least: number;
};

/** Returns the first lightness from `start` on with enough contrast to every background, else black or white. */
function distinct(culori: Culori, { start, away, on, least }: Search): Oklch {
  for (let color = start; ; color = { ...color, l: color.l + away * LIGHTNESS_STEP }) {
    if (away < 0 ? color.l <= 0 : color.l >= 1) return { ...color, l: away < 0 ? 0 : 1, c: 0 };
    // The displayed color has eight bits per channel and less chroma than requested, so this measures that one.
    const hex = toHex(culori, color);
    if (on.every((ground) => culori.wcagContrast(hex, ground) >= least)) return color;
  }
}

const toHex = (culori: Culori, color: Oklch): HexColor =>
  culori.formatHex(culori.clampChroma(color, 'oklch'));
