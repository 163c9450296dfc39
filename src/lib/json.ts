/** Reads JSON from outside. */

/** Returns the parsed value; `undefined`, which JSON cannot express, if the text is invalid JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
