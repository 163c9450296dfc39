/**
 * Answers kept in memory for as long as nothing they show has changed. What they are made of is known by its version,
 * which is read from the database for every request: so instances need not tell each other anything.
 */

/** Memory that all kept answers take, at most. */
const MOST_BYTES = 64 * 1024 * 1024;

export type AnswerCache = {
  /** The answer kept under this key, made of this very version. */
  find(key: string, version: string): Buffer | undefined;
  keep(key: string, version: string, answer: Buffer): void;
};

/** The answers used longest ago go first. */
export function answerCache(mostBytes = MOST_BYTES): AnswerCache {
  const kept = new Map<string, { readonly version: string; readonly answer: Buffer }>();
  let bytes = 0;
  const drop = (key: string): void => {
    bytes -= kept.get(key)?.answer.length ?? 0;
    kept.delete(key);
  };
  return {
    find(key, version) {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      if (entry.version !== version) {
        drop(key);
        return undefined;
      }
      // A Map keeps the order of insertion: what is used goes to its end.
      kept.delete(key);
      kept.set(key, entry);
      return entry.answer;
    },
    keep(key, version, answer) {
      drop(key);
      kept.set(key, { version, answer });
      bytes += answer.length;
      for (const oldest of kept.keys()) {
        if (bytes <= mostBytes) break;
        drop(oldest);
      }
    },
  };
}
