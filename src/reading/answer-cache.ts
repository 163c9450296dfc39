/** Caches responses in memory, by a version from the database, so that instances need not notify each other. */

/** Limits the bytes of all responses together. */
const MOST_BYTES = 64 * 1024 * 1024;
/** The maximum bytes of one response: a larger one would push out hundreds of others. */
const LARGEST_ANSWER = 256 * 1024;

export type AnswerCache = {
  /** Returns the response stored under this key, if it was made from this version. */
  find(key: string, version: string): Buffer | undefined;
  /** Stores a response unless it is large. */
  keep(key: string, version: string, answer: Buffer): void;
};

/** Creates a cache that drops the least recently used responses first. */
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
      // A Map keeps the order of insertion: a used response moves to its end.
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
