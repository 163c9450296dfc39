/** The lease of a sync or write, longer than any request to a provider. Written parts extend it. */
export const LEASE_MS = 90_000;

/** The interval of these renewals. */
export const RENEW_EVERY_MS = 30_000;
