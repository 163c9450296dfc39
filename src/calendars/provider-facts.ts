/** The differences between the providers. Code asks for the fact that it needs, and never for a provider by name. */
export type ProviderKind = 'google' | 'microsoft' | 'apple' | 'caldav';

export const PROVIDER_KINDS: readonly ProviderKind[] = ['google', 'microsoft', 'apple', 'caldav'];

/** Parses the name of a provider, in any case and with any space around it. */
export function parseProviderKind(text: string): ProviderKind | undefined {
  const name = text.trim().toLowerCase();
  return PROVIDER_KINDS.find((kind) => kind === name);
}

/** The maximum number of requests in any span of `per` milliseconds. */
export type RequestRate = { readonly requests: number; readonly per: number };

export type ProviderLimits = {
  /** For all users of one app at the provider. */
  readonly app?: RequestRate;
  /** For one user of that app. */
  readonly user?: RequestRate;
  /** The maximum concurrent requests to one account. */
  readonly atOnce?: number;
};

export type ProviderFacts = {
  /** `redirect`: on the provider's own pages, with a registered app. `password`: on our own page. */
  readonly signIn: 'redirect' | 'password';
  /** Whether disconnecting an account ends the access at the provider. */
  readonly endsAccess: boolean;
  /** Whether an override is a separate resource at the provider. */
  readonly overridesApart: boolean;
  /** Whether an interrupted sync continues: what the mirror has by then is not read again. */
  readonly resumesSyncs: boolean;
  /** Whether the provider marks the main calendar of every account. If not, main-calendar.ts chooses one. */
  readonly marksPrimary: boolean;
  /** For all instances together. An absent limit means no limit. */
  readonly requestLimits: ProviderLimits;
};

const MINUTE = 60_000;

const CALDAV = {
  signIn: 'password',
  endsAccess: false,
  overridesApart: false,
  resumesSyncs: true,
  marksPrimary: false,
  requestLimits: {},
} as const;

/**
 * The request limits are generally known figures; no live account has confirmed them. Google limits requests per minute
 * by project and by user. Microsoft limits them per ten minutes by app and mailbox, and allows four at once to a
 * mailbox, one of which is left to others.
 */
export const PROVIDER_FACTS = {
  google: {
    signIn: 'redirect',
    endsAccess: true,
    overridesApart: true,
    resumesSyncs: false,
    marksPrimary: true,
    requestLimits: { app: { requests: 10_000, per: MINUTE }, user: { requests: 600, per: MINUTE } },
  },
  microsoft: {
    signIn: 'redirect',
    endsAccess: true,
    overridesApart: true,
    resumesSyncs: false,
    marksPrimary: true,
    requestLimits: { user: { requests: 10_000, per: 10 * MINUTE }, atOnce: 3 },
  },
  apple: CALDAV,
  caldav: CALDAV,
} as const satisfies Readonly<Record<ProviderKind, ProviderFacts>>;
