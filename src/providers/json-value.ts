/** Checks members of providers' responses: their published types are no guarantee. */

/** Returns a non-empty text; `undefined` for anything else. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the member of that name; `undefined` if `value` is no object. */
export const readMember = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

/** Returns the objects of a list. `T` is what the provider publishes; each member may still be anything. */
export const objects = <T extends object>(value: readonly T[] | null | undefined): T[] =>
  Array.isArray(value) ? value.filter((one: T) => isObject(one)) : [];

export const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one: unknown) => typeof one === 'string') : [];

type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** Returns the object without `undefined` members, as `exactOptionalPropertyTypes` requires. */
export const withoutUndefined = <T extends object>(members: T): Defined<T> =>
  // Each member that remains has a defined value.
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
