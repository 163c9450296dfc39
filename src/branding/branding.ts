/** The branding of an application on the Connect pages (docs/wire.md 4.3), and its facts (docs/wire.md 4.1). */
import type { FACT_READERS } from './look-input.ts';

export const THEMES = ['auto', 'light', 'dark'] as const;

/** The color scheme. `auto` leaves it to the user's choice or device. */
export type Theme = (typeof THEMES)[number];

export const parseTheme = (word: string | undefined): Theme | undefined =>
  THEMES.find((theme) => theme === word);

/** A logo, re-encoded when it was set and served under the hash of its content (logo.route.ts). */
export type Logo = {
  /** SHA-256 of the served bytes, in hex. */
  readonly hash: string;
};

/** The branding that an application has set, even if it is disabled. */
export type Branding = {
  /** If false, pages have the default look. The values stay stored. */
  readonly enabled: boolean;
  readonly logo: Logo | undefined;
  /** The logo on dark pages; without it they show `logo`. */
  readonly darkLogo: Logo | undefined;
  /** `#rrggbb` in lower case. */
  readonly primaryColor: string | undefined;
  readonly theme: Theme;
  readonly hideFooter: boolean;
};

export type Fact = keyof typeof FACT_READERS;

/** The facts that an application has set. Pages show them even if branding is disabled. */
export type ApplicationFacts = { readonly [F in Fact]?: string | undefined };

export const DEFAULT_BRANDING: Branding = {
  enabled: true,
  logo: undefined,
  darkLogo: undefined,
  primaryColor: undefined,
  theme: 'auto',
  hideFooter: false,
};

export const DEFAULT_FACTS: ApplicationFacts = {};

/** Returns the branding that pages use: the default one if branding is disabled. */
export const effectiveBranding = (branding: Branding): Branding =>
  branding.enabled ? branding : { ...DEFAULT_BRANDING, enabled: false };

export const logoPath = ({ hash }: Logo): string => `/connect/logos/${hash}.webp`;
