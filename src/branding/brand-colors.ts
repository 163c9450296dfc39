/**
 * From an application's primary colour to the colours of the Connect pages, readable in both schemes
 * whatever the colour is (WCAG 2.2 §1.4.3, §1.4.11). The hue stays; the lightness moves as little as it must.
 */
import type { Oklch } from 'culori';

/** `#rrggbb` in lower case. */
export type HexColor = string;

/** Of one scheme: what stands in the place of the stylesheet's own tokens. */
export type SchemeColors = {
  /** `--accent`: text, links, icons and focus rings on every ground. */
  readonly accent: HexColor;
  /** `--button`: the ground of the way on. The brand's own colour, since what is read on it follows it. */
  readonly button: HexColor;
  /** `--button-hover`: that ground under the pointer. */
  readonly buttonHover: HexColor;
  /** `--on-button`: text on both. */
  readonly onButton: HexColor;
  /** `--tint`: the soft ground of signs, with the accent on it. */
  readonly tint: HexColor;
};

export type BrandColors = { readonly light: SchemeColors; readonly dark: SchemeColors };

/** What the accent stands on: the tokens of base.css by their names, held to it by a test. */
export const GROUNDS = {
  light: {
    ground: '#f3f5f9',
    card: '#ffffff',
    hover: '#f4f7fc',
    'good-tint': '#e6f5ec',
    'bad-tint': '#fdecec',
    'warn-tint': '#fdf4e3',
  },
  dark: {
    ground: '#0d1016',
    card: '#171b23',
    hover: '#1f2530',
    'good-tint': '#14291f',
    'bad-tint': '#351a1d',
    'warn-tint': '#2e2413',
  },
} as const;

/** Least contrast of text. Marks and rings need 3, which the accent has with it. */
export const TEXT_CONTRAST = 4.5;

/** What a button stands out by from the card, where its text says already that it is one. */
export const BUTTON_CONTRAST = 1.4;

/** Lightness and chroma are those of OKLCH: 0 to 1, and 0 to about 0.3. */
const RECIPES = {
  light: { tint: { l: 0.955, c: 0.024 }, away: -1 },
  dark: { tint: { l: 0.28, c: 0.05 }, away: 1 },
} as const;
const WHITE = '#ffffff';
const DARK_INK = { l: 0.19, c: 0.05 };
/** Finer than eight bits a channel tell apart. */
const LIGHTNESS_STEP = 0.002;
/** Colours come from the few applications of an instance, but nothing else bounds them. */
const MOST_KEPT = 500;

type Culori = typeof import('culori/require');
type Scheme = keyof typeof RECIPES;

let loading: Promise<Culori> | undefined;
const cache = new Map<HexColor, BrandColors>();

/** The colours for a primary colour, `#rrggbb` in lower case. Throws TypeError for anything else. */
export async function brandColors(primary: HexColor): Promise<BrandColors> {
  const cached = cache.get(primary);
  if (cached !== undefined) return cached;
  if (!/^#[\da-f]{6}$/.test(primary)) throw new TypeError('The primary colour is not #rrggbb');
  // Its one bundled file takes 8 MB and 15 ms, which an instance without brand colours does without.
  loading ??= import('culori/require').then((module) => module.default);
  const culori = await loading;
  const brand = culori.oklch(primary);
  if (brand === undefined) throw new TypeError('The primary colour cannot be read');
  const colors = { light: schemeColors(culori, brand, 'light'), dark: schemeColors(culori, brand, 'dark') };
  if (cache.size >= MOST_KEPT) cache.clear();
  cache.set(primary, colors);
  return colors;
}

/** The custom properties as a stylesheet's rule, to come after base.css. */
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

/** Away from the text on it; near black and near white, where a step further shows nothing, towards it. */
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
  /** The direction that leads away from what it stands on: 1 lighter, -1 darker. */
  readonly away: number;
  readonly on: readonly HexColor[];
  /** The contrast it has to all of them. */
  readonly least: number;
};

/** The first lightness from `start` on that stands out from every ground; black or white at the latest. */
function distinct(culori: Culori, { start, away, on, least }: Search): Oklch {
  for (let color = start; ; color = { ...color, l: color.l + away * LIGHTNESS_STEP }) {
    if (away < 0 ? color.l <= 0 : color.l >= 1) return { ...color, l: away < 0 ? 0 : 1, c: 0 };
    // What is shown has eight bits a channel and less chroma than asked for: that is what is measured.
    const hex = toHex(culori, color);
    if (on.every((ground) => culori.wcagContrast(hex, ground) >= least)) return color;
  }
}

const toHex = (culori: Culori, color: Oklch): HexColor =>
  culori.formatHex(culori.clampChroma(color, 'oklch'));
