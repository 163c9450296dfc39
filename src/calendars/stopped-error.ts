/** Failures of work that this program stopped, not the provider. */
import type { WorkStopped } from '../lib/work-pool/work-stopped.ts';
import { ProviderError } from './provider-error.ts';

/** Returns the failure of work that a shutdown interrupted. */
export const shuttingDown = (): ProviderError =>
  new ProviderError('unavailable', 'The service is shutting down', { notSent: true });

/**
 * Returns the failure of work that the system stopped: `busy` if no thread was free in time, `unavailable` for
 * `internal_fault` if threads stall or do not start. Returns `undefined` if the work itself took too much.
 */
export function stoppedBySystem(stopped: WorkStopped): ProviderError | undefined {
  if (stopped.isOfTask) return undefined;
  if (stopped.reason === 'closed') return shuttingDown();
  if (stopped.reason === 'busy')
    return new ProviderError('busy', 'Too many calendars are being read', { notSent: true, cause: stopped });
  const message = 'The calendar could not be read because of an error on our side';
  return new ProviderError('unavailable', message, { reason: 'internal_fault', cause: stopped });
}
