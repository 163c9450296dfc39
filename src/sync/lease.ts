/**
 * How long the lease of a calendar or a list lasts, for a sync or a write: longer than any single request to a provider
 * may take. Every part written extends it, and a write that lasts renews it.
 */
export const LEASE_MS = 90_000;

/** How often a write does so. */
export const RENEW_EVERY_MS = 30_000;
