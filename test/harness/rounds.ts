/**
 * How often a test of chance (races, crashes, generated cases) repeats itself. `npm test` runs the
 * base; `npm run soak` sets KALENDS_TEST_SCALE=20. KALENDS_TEST_ROUNDS sets the number itself, to hunt
 * one failure down.
 */
export function rounds(base: number): number {
  const exact = Number(process.env.KALENDS_TEST_ROUNDS ?? 0);
  if (exact > 0) return Math.ceil(exact);
  return Math.max(1, Math.ceil(base * scale()));
}

/** The factor alone, for what grows with the rounds, such as a time limit. */
export function scale(): number {
  const factor = Number(process.env.KALENDS_TEST_SCALE ?? 1);
  if (!(factor > 0)) throw new Error('KALENDS_TEST_SCALE must be a number above 0');
  return factor;
}

const SOAK_SCALE = 20;
const SOAK_INPUTS = 1_000_000;

/** How many inputs a fuzzer tries whose inputs grow: `base` of them in `npm test`, a million in `npm run soak`. */
export function inputs(base: number): number {
  const factor = scale();
  return rounds(factor < SOAK_SCALE ? base : SOAK_INPUTS / factor);
}
