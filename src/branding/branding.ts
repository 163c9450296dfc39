/**
 * How an application shows itself on the Connect pages (docs/wire.md 4.3), and who helps its users
 * (docs/wire.md 4.1).
 */
import type { FACT_READERS } from './look-input.ts';

export const THEMES = ['auto', 'light', 'dark'] as const;

/** The scheme of colours; `auto` leaves it to the reader's choice or device. */
export type Theme = (typeof THEMES)[number];

/** The theme of that name. */
export const parseTheme = (word: string | undefined): Theme | undefined =>
  THEMES.find((theme) => theme === word);

/** A picture of ours: re-encoded when it was set, and served by its content's name (logo.route.ts). */
export type Logo = {
  /** SHA-256 of the served bytes, in hex. */
  readonly hash: string;
};

/** What an application has set, whether or not it is switched on. */
export type Branding = {
  /** Off: everything here has the default look, and no value is lost. */
  readonly enabled: boolean;
  readonly logo: Logo | undefined;
  /** On dark pages; without one `logo` serves there too. */
  readonly darkLogo: Logo | undefined;
  /** `#rrggbb` in lower case. */
  readonly primaryColor: string | undefined;
  readonly theme: Theme;
  readonly hideFooter: boolean;
};

/** A setting that an application states about itself. */
export type Fact = keyof typeof FACT_READERS;

/** The facts that an application has set. They are settings, not branding: pages show them whatever the switch says. */
export type ApplicationFacts = { readonly [F in Fact]?: string | undefined };

/** Of an application that has set nothing. */
export const DEFAULT_BRANDING: Branding = {
  enabled: true,
  logo: undefined,
  darkLogo: undefined,
  primaryColor: undefined,
  theme: 'auto',
  hideFooter: false,
};

/** The facts of an application that has set nothing. */
export const DEFAULT_FACTS: ApplicationFacts = {};

/** What pages go by: the values, or the default look where branding is off. */
export const effectiveBranding = (branding: Branding): Branding =>
  branding.enabled ? branding : { ...DEFAULT_BRANDING, enabled: false };

/** Where a picture is served, as a path of ours. */
export const logoPath = ({ hash }: Logo): string => `/connect/logos/${hash}.webp`;
