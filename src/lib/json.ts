/** JSON that others wrote, and may not have written well. */

/** What the text says; `undefined`, which JSON cannot say, for what is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Whether objects and arrays are nested more than `levels` deep in a text, which may be no JSON. One look at each
 * character: whatever walks the value afterwards can do so by recursion.
 */
export function isDeeperThan(text: string, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        depth += 1;
        if (depth > levels) return true;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth -= 1;
        break;
      default:
    }
  }
  return false;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Where the string that begins at `start` ends; the text's end for one that does not. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
