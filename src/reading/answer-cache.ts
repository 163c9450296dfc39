/**
 * Keeps answers in memory for as long as nothing they show has changed. What they are made of has a version,
 * which is read from the database for every request: so instances need not tell each other anything.
 */

/** The most bytes of all answers together. */
const MOST_BYTES = 64 * 1024 * 1024;
/** The most bytes of one answer: a larger one would push out hundreds of others. */
const LARGEST_ANSWER = 256 * 1024;

export type AnswerCache = {
  /** The answer kept under this key, if it was made of this very version. */
  find(key: string, version: string): Buffer | undefined;
  /** Does not keep a large one. */
  keep(key: string, version: string, answer: Buffer): void;
};

/** The answers used longest ago go first. */
export function answerCache(mostBytes = MOST_BYTES): AnswerCache {
  const entries = new Map<string, { readonly version: string; readonly answer: Buffer }>();
  let bytes = 0;
  const drop = (key: string): void => {
    bytes -= entries.get(key)?.answer.length ?? 0;
    entries.delete(key);
  };
  return {
    find(key, version) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (entry.version !== version) {
        drop(key);
        return undefined;
      }
      // A Map keeps the order of insertion: what is used goes to its end.
      entries.delete(key);
      entries.set(key, entry);
      return entry.answer;
    },
    keep(key, version, answer) {
      drop(key);
      if (answer.length > LARGEST_ANSWER) return;
      entries.set(key, { version, answer });
      bytes += answer.length;
      for (const oldest of entries.keys()) {
        if (bytes <= mostBytes) break;
        drop(oldest);
      }
    },
  };
}
