export type SlotLoad = { readonly held: number; readonly waiting: number };

/** Receives events of the slots of each work, for metrics and the log. */
export type SlotListener = {
  /** Slots of this work are shared from now on; `load` returns how many are held and how many wait. */
  opened(work: string, load: () => SlotLoad): void;
  /** A slot was taken after this many seconds. */
  waited(work: string, seconds: number): void;
  refused(work: string): void;
  /** An application requested a slot while it held its share, or while all slots were held. */
  exhausted(line: SlotLoad & { readonly work: string; readonly clientId: string }): void;
};
