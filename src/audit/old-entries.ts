import type { AuditLog } from './audit-log.ts';

export type OldEntriesDeps = {
  readonly audit: Pick<AuditLog, 'deleteOldEntries'>;
  /** How many days entries are kept; 0: for ever. */
  readonly auditDays: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

const DAY_MS = 24 * 3_600_000;

/** Deletes entries that were kept for long enough; answers how many. */
export async function deleteOldEntries({ audit, auditDays, now }: OldEntriesDeps): Promise<number> {
  return auditDays === 0 ? 0 : audit.deleteOldEntries(now() - auditDays * DAY_MS);
}
