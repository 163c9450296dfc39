/** Caches responses in memory, by a version from the database, so that instances need not notify each other. */

/** Limits the bytes of all entries together: responses, keys and versions. */
const MOST_BYTES = 64 * 1024 * 1024;
/** The maximum bytes of one response: a larger one would push out hundreds of others. */
const LARGEST_ANSWER = 256 * 1024;
/** The approximate bytes of an entry in addition to its texts. */
const ENTRY_BYTES = 1024;

type NewEntry = {
  readonly clientId: string;
  /** Unique over all applications. */
  readonly key: string;
  readonly version: string;
  readonly answer: Buffer;
};

export type AnswerCache = {
  /** Returns the response stored under this key, if it was made from this version. */
  find(key: string, version: string): Buffer | undefined;
  /** Stores a copy of a response unless it is large. */
  keep(entry: NewEntry): void;
};

/**
 * Creates a cache that drops the least recently used responses first. If an application holds more than half of the
 * bytes, only its responses are dropped.
 */
export function answerCache(mostBytes = MOST_BYTES): AnswerCache {
  const entries = new Map<string, NewEntry>();
  const bytesOf = new Map<string, number>();
  let bytes = 0;
  const count = (clientId: string, size: number): void => {
    bytes += size;
    bytesOf.set(clientId, (bytesOf.get(clientId) ?? 0) + size);
  };
  // A Map keeps the order of insertion, so the least recently used entry is the first.
  const add = (entry: NewEntry): void => {
    entries.set(entry.key, entry);
    count(entry.clientId, sizeOf(entry));
  };
  const drop = (key: string): void => {
    const entry = entries.get(key);
    if (entry !== undefined) count(entry.clientId, -sizeOf(entry));
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
      entries.delete(key);
      entries.set(key, entry);
      return entry.answer;
    },
    keep({ answer, ...entry }) {
      drop(entry.key);
      if (answer.length > LARGEST_ANSWER) return;
      add({ ...entry, answer: unpooled(answer) });
      if (bytes <= mostBytes) return;
      const largest = [...bytesOf].find(([, held]) => held > mostBytes / 2)?.[0];
      for (const [oldest, passed] of entries) {
        if (bytes <= mostBytes) break;
        drop(oldest);
        // At the end of the Map, the next calls need not pass it again.
        if (largest !== undefined && passed.clientId !== largest) add(passed);
      }
    },
  };
}

/** Returns the memory of an entry. A character takes up to two bytes. */
const sizeOf = ({ key, version, answer }: NewEntry): number =>
  2 * (key.length + version.length) + answer.length + ENTRY_BYTES;

/** Returns a copy: a small buffer is a part of a pool, and would hold all of the pool in memory. */
function unpooled(answer: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(answer.length);
  copy.set(answer);
  return copy;
}
