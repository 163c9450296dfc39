/** What the index of errors says of each. */

export type IndexedError = {
  readonly code: string;
  /** As in `400`, or `400, 401`. */
  readonly status: string;
  readonly when: string;
  /** What to do about it, as an instruction. */
  readonly remedy: string;
};

/** A row of the index, as short as a table has it. */
export const error = (
  ...[code, status, when, remedy]: [code: string, status: string, when: string, remedy: string]
): IndexedError => ({ code, status, when, remedy });
