/**
 * How long the lease of a calendar or a list lasts, for a sync or a write: longer than any single request to a provider
 * may take. Every part written extends it.
 */
export const LEASE_MS = 90_000;
