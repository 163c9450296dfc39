/** What differs between the providers. Code asks for the fact it needs and never for a provider by its name. */
export type ProviderKind = 'google' | 'microsoft' | 'apple' | 'caldav';

export const PROVIDER_KINDS: readonly ProviderKind[] = ['google', 'microsoft', 'apple', 'caldav'];

/** The kind that `text` names, in any case and with any space around it. */
export function parseProviderKind(text: string): ProviderKind | undefined {
  const name = text.trim().toLowerCase();
  return PROVIDER_KINDS.find((kind) => kind === name);
}

/** So many requests in any span of `per` milliseconds. */
export type RequestRate = { readonly requests: number; readonly per: number };

export type ProviderLimits = {
  /** Of all users of one app at the provider. */
  readonly app?: RequestRate;
  /** Of one user of that app. */
  readonly user?: RequestRate;
  /** Requests under way at once to one mailbox. */
  readonly atOnce?: number;
};

export type ProviderFacts = {
  /** `redirect`: on the provider's own pages, with an app registered there. `password`: on a page of ours. */
  readonly signIn: 'redirect' | 'password';
  /** Whether access is ended at the provider when an account is disconnected. */
  readonly endsAccess: boolean;
  /** Whether a changed instance of a series is a resource of its own at the provider. */
  readonly overridesApart: boolean;
  /** Whether a sync that was cut short is not done again from the start: what the mirror has by then is not read again. */
  readonly resumesSyncs: boolean;
  /** Whether the provider marks the main calendar of every account; elsewhere main-calendar.ts chooses one. */
  readonly marksPrimary: boolean;
  /** Not to be exceeded by all instances together; what is absent has no limit. */
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
 * The figures of `requestLimits` are those generally known; no live account has confirmed them. Google limits requests
 * a minute by project and by user; Microsoft limits them in ten minutes by app and mailbox, and lets four be under way
 * at once to a mailbox, of which one is left to others.
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
