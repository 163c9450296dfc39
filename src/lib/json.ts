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
