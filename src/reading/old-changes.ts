import type { ChangeFeed } from './change-feed.ts';

export type OldChangesDeps = {
  readonly changes: Pick<ChangeFeed, 'forgetChanges'>;
  readonly now: () => number;
};

/** The time after which a client must read everything again; docs/reading.md promises it. */
const CHANGE_LIFE_MS = 30 * 24 * 3_600_000;

/** Deletes expired changes; returns their number. */
export const deleteOldChanges = ({ changes, now }: OldChangesDeps): Promise<number> =>
  changes.forgetChanges(now() - CHANGE_LIFE_MS);
