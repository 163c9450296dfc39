/** What the tour of the Connect pages is made of: a chapter is a user of its own; each of its stops goes on from the one before. */
import type { MessageKey } from '../../src/connect/messages/messages.ts';
import type { TourWalker as Walker } from './connect-tour-walker.ts';

export type Stop = {
  readonly name: string;
  /** Goes from the stop before to this one. */
  reach(walker: Walker): Promise<void>;
  readonly view: View;
};

/** How the page is to be seen, beside as it is opened. */
export type View = {
  /** The words over what is unfolded. */
  readonly unfold?: MessageKey;
  /** Its script would lead on at once. */
  readonly withoutScripts?: true;
  /** Its script changes what there is to see. */
  readonly withScripts?: true;
};

export type Chapter = { readonly name: string; readonly stops: readonly Stop[] };

export const stop = (name: string, reach: Stop['reach'], view: View = {}): Stop => ({ name, reach, view });

/** The page of the stop before, with something unfolded. */
export const unfolded = (name: string, unfold: MessageKey): Stop => stop(name, async () => {}, { unfold });
