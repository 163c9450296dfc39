/** The bytes of a response as they arrive, gathered in blocks: pieces can be as small as one byte. */

export type ReceivedBytes = {
  add(piece: Buffer): void;
  readonly size: () => number;
  /** Returns all bytes in one buffer of their own. */
  whole(): Buffer;
  blocks(): readonly Buffer[];
};

const SMALLEST_BLOCK = 4_096;
const LARGEST_BLOCK = 65_536;

export function receivedBytes(): ReceivedBytes {
  const full: Buffer[] = [];
  let block = Buffer.alloc(0);
  let used = 0;
  let before = 0;

  const nextBlock = (): void => {
    full.push(block);
    before += block.length;
    block = Buffer.allocUnsafeSlow(Math.min(LARGEST_BLOCK, Math.max(SMALLEST_BLOCK, before)));
    used = 0;
  };
  const blocks = (): readonly Buffer[] => [...full, block.subarray(0, used)];

  return {
    add(piece) {
      let heldBytes = 0;
      while (heldBytes < piece.length) {
        if (used === block.length) nextBlock();
        const length = piece.copy(block, used, heldBytes);
        used += length;
        heldBytes += length;
      }
    },
    size: () => before + used,
    whole: () => Buffer.concat(blocks()),
    blocks,
  };
}
