/**
 * The parts of the tour of the Connect pages: a chapter has its own user; each of its stops continues from the one
 * before.
 */
import type { TourWalker as Walker } from './connect-tour-walker.ts';

export type Stop = {
  readonly name: string;
  /** Goes from the previous stop to this one. */
  reach(walker: Walker): Promise<void>;
  readonly view: View;
};

/** Changes to how the page is shown. */
export type View = {
  /** The selector of the `details` that is unfolded. */
  readonly unfold?: string;
  /** Its script would redirect at once. */
  readonly withoutScripts?: true;
  /** Its script changes what is visible. */
  readonly withScripts?: true;
};

export type Chapter = { readonly name: string; readonly stops: readonly Stop[] };

export const stop = (name: string, reach: Stop['reach'], view: View = {}): Stop => ({ name, reach, view });

/** Returns a stop at the same page as the one before, with a part unfolded. */
export const unfolded = (name: string, unfold: string): Stop => stop(name, async () => {}, { unfold });
