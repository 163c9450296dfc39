/** Members of Google's answers: the published types say what they should be, and these see to it that they are. */

/** The text; `undefined` for everything else, and for the empty text. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects of a list. `T` is what Google publishes of them; each of their members may still be anything. */
export const objects = <T extends object>(value: readonly T[] | null | undefined): T[] =>
  Array.isArray(value) ? value.filter((one: T) => isObject(one)) : [];

/** The texts of a list. */
export const texts = (value: readonly string[] | null | undefined): string[] =>
  Array.isArray(value) ? value.filter((one: unknown) => typeof one === 'string') : [];
