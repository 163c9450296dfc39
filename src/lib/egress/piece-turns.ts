/**
 * Turns of the event loop for responses in many small pieces, since one read of a socket may parse thousands of them.
 * After `most` pieces of all responses together, the rest waits for a later turn.
 */
export type PieceTurns = {
  /** Counts a piece. If `false`, pause the response; `goOn` is called in a later turn. */
  count(goOn: () => void): boolean;
};

const MOST_PIECES = 2_000;

export function pieceTurns(most: number = MOST_PIECES): PieceTurns {
  const waiting = new Set<() => void>();
  let counted = 0;
  let isScheduled = false;

  const nextTurn = (): void => {
    counted = 0;
    isScheduled = false;
    for (const goOn of waiting) {
      if (counted >= most) break;
      waiting.delete(goOn);
      goOn();
    }
    if (waiting.size > 0) schedule();
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(nextTurn);
  };

  return {
    count(goOn) {
      counted += 1;
      schedule();
      if (counted <= most) return true;
      waiting.add(goOn);
      return false;
    },
  };
}
