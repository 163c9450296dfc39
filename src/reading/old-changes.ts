import type { ChangeFeed } from './change-feed.ts';

export type OldChangesDeps = {
  readonly changes: Pick<ChangeFeed, 'forgetChanges'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** How long whoever follows changes may stay away; docs/reading.md promises it. */
const CHANGE_LIFE_MS = 30 * 24 * 3_600_000;

/** Deletes the changes that nobody is promised any longer; answers how many. */
export const deleteOldChanges = ({ changes, now }: OldChangesDeps): Promise<number> =>
  changes.forgetChanges(now() - CHANGE_LIFE_MS);
