import type { AuditLog } from './audit-log.ts';

export type OldEntriesDeps = {
  readonly audit: Pick<AuditLog, 'deleteOldEntries'>;
  /** The number of days for which entries are kept; 0 means without limit. */
  readonly auditDays: number;
  readonly now: () => number;
};

const DAY_MS = 24 * 3_600_000;

/** Deletes entries that are older than the retention; returns the number of rows. */
export async function deleteOldEntries({ audit, auditDays, now }: OldEntriesDeps): Promise<number> {
  return auditDays === 0 ? 0 : audit.deleteOldEntries(now() - auditDays * DAY_MS);
}
