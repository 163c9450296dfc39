/**
 * Turns of the event loop for answers that come in many small pieces: a server may send each byte as a chunk of its own,
 * and a socket's data is taken apart in one go. After so many pieces, of all answers together, they go on in a later turn.
 */
export type PieceTurns = {
  /** Counts a piece. `false`: its answer is to be paused; `goOn` is called in a later turn. */
  count(goOn: () => void): boolean;
};

const MOST_PIECES = 2_000;

/** Turns of at most that many pieces. */
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
