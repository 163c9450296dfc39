/** The sandbox's time: real time plus what was turned. Tokens, channels and windows of its providers follow it. */
export interface SandboxClock {
  /** Epoch milliseconds. */
  now(): number;
  /** By how many milliseconds it is ahead of real time. */
  ahead(): number;
  /** Milliseconds forward. */
  turn(by: number): void;
  /** Back to real time. */
  reset(): void;
}

/** `ahead`: by how many milliseconds it begins. */
export function sandboxClock(realNow: () => number = Date.now, ahead = 0): SandboxClock {
  let turned = ahead;
  return {
    now: () => realNow() + turned,
    ahead: () => turned,
    turn(by) {
      turned += by;
    },
    reset() {
      turned = 0;
    },
  };
}
