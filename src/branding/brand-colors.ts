/**
 * From an application's primary colour to the colours of the Connect pages, readable in both schemes
 * whatever the colour is (WCAG 2.2 §1.4.3, §1.4.11). The hue stays; the lightness moves as little as it must.
 */
import type { Oklch } from 'culori';

/** `#rrggbb` in lower case. */
export type HexColor = string;

/** Of one scheme: what stands in the place of the stylesheet's own tokens. */
export type SchemeColors = {
  /** `--accent`: text, links, icons and focus rings on every ground, and the ground of buttons. */
  readonly accent: HexColor;
  /** `--accent-hover`: that ground under the pointer. */
  readonly accentHover: HexColor;
  /** `--on-accent`: text on both. */
  readonly onAccent: HexColor;
  /** `--tint`: the soft ground of signs, with the accent on it. */
  readonly tint: HexColor;
};

export type BrandColors = { readonly light: SchemeColors; readonly dark: SchemeColors };

/** What the accent stands on: the tokens of connect.css by their names, held to it by a test. */
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

/** Lightness and chroma are those of OKLCH: 0 to 1, and 0 to about 0.3. */
const RECIPES = {
  light: { tint: { l: 0.955, c: 0.024 }, onAccent: { l: 1, c: 0 }, away: -1, hoverStep: 0.07 },
  dark: { tint: { l: 0.28, c: 0.05 }, onAccent: { l: 0.19, c: 0.05 }, away: 1, hoverStep: 0.055 },
} as const;
const BACK_STEP = 0.27;
/** Finer than eight bits a channel tell apart. */
const LIGHTNESS_STEP = 0.002;
/** Colours come from the few applications of an instance, but nothing else bounds them. */
const MOST_KEPT = 500;

type Culori = typeof import('culori/require');
type Scheme = keyof typeof RECIPES;

let loading: Promise<Culori> | undefined;
const kept = new Map<HexColor, BrandColors>();

/** The colours for a primary colour, `#rrggbb` in lower case. Throws TypeError for anything else. */
export async function brandColors(primary: HexColor): Promise<BrandColors> {
  const known = kept.get(primary);
  if (known !== undefined) return known;
  if (!/^#[\da-f]{6}$/.test(primary)) throw new TypeError('The primary colour is not #rrggbb');
  // Its one bundled file takes 8 MB and 15 ms, which an instance without brand colours does without.
  loading ??= import('culori/require').then((module) => module.default);
  const culori = await loading;
  const brand = culori.oklch(primary);
  if (brand === undefined) throw new TypeError('The primary colour cannot be read');
  const colors = { light: schemeColors(culori, brand, 'light'), dark: schemeColors(culori, brand, 'dark') };
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(primary, colors);
  return colors;
}

/** The custom properties as a stylesheet's rule, to come after connect.css. */
export function brandRule({ light, dark }: BrandColors): string {
  const property = (name: string, key: keyof SchemeColors) =>
    `--${name}:light-dark(${light[key]},${dark[key]})`;
  const properties = [
    property('accent', 'accent'),
    property('accent-hover', 'accentHover'),
    property('on-accent', 'onAccent'),
    property('tint', 'tint'),
  ];
  return `:root{${properties.join(';')}}`;
}

function schemeColors(culori: Culori, brand: Oklch, scheme: Scheme): SchemeColors {
  const { tint: soft, onAccent: text, away, hoverStep } = RECIPES[scheme];
  const muted = ({ l, c }: { l: number; c: number }): Oklch => ({ ...brand, l, c: Math.min(brand.c, c) });
  const tint = shown(culori, muted(soft));
  const grounds = [...Object.values(GROUNDS[scheme]), tint];
  const accent = readable(culori, { start: brand, away, on: grounds });
  const further = accent.l + away * hoverStep;
  // Near black and near white a step further shows nothing.
  const hover = { ...accent, l: further < 0.2 || further > 0.97 ? accent.l - away * BACK_STEP : further };
  const accentHex = shown(culori, accent);
  const accentHover = shown(culori, hover);
  const start = muted(text);
  const onAccent = readable(culori, { start, away: -away, on: [accentHex, accentHover] });
  return { accent: accentHex, accentHover, onAccent: shown(culori, onAccent), tint };
}

type Search = {
  readonly start: Oklch;
  /** The direction that leads away from what it stands on: 1 lighter, -1 darker. */
  readonly away: number;
  readonly on: readonly HexColor[];
};

/** The first lightness from `start` on that can be read on every ground; black or white at the latest. */
function readable(culori: Culori, { start, away, on }: Search): Oklch {
  for (let color = start; ; color = { ...color, l: color.l + away * LIGHTNESS_STEP }) {
    if (away < 0 ? color.l <= 0 : color.l >= 1) return { ...color, l: away < 0 ? 0 : 1, c: 0 };
    // What is shown has eight bits a channel and less chroma than asked for: that is what is measured.
    const seen = shown(culori, color);
    if (on.every((ground) => culori.wcagContrast(seen, ground) >= TEXT_CONTRAST)) return color;
  }
}

const shown = (culori: Culori, color: Oklch): HexColor =>
  culori.formatHex(culori.clampChroma(color, 'oklch'));
