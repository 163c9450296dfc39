import type { ChangeFeed } from './change-feed.ts';

export type OldChangesDeps = {
  readonly changes: Pick<ChangeFeed, 'forgetChanges'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** The time for which a client that follows changes may stay away; docs/reading.md promises it. */
const CHANGE_LIFE_MS = 30 * 24 * 3_600_000;

/** Deletes the changes older than CHANGE_LIFE_MS; returns their number. */
export const deleteOldChanges = ({ changes, now }: OldChangesDeps): Promise<number> =>
  changes.forgetChanges(now() - CHANGE_LIFE_MS);
