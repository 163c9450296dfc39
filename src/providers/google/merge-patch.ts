/** JSON merge patches (RFC 7396), as Google applies them. */
import { isDeepStrictEqual } from 'node:util';

import { isObject } from '../json-value.ts';

type Members = Readonly<Record<string, unknown>>;

const toMembers = (value: unknown): Members => (isObject(value) ? { ...value } : {});

/** Events are nested at most three deep. Deeper members are replaced whole. */
const MAX_DEPTH = 3;

/** Applies a patch to `members`. Null removes a member. */
export function applyPatch(members: Members, patch: Members, depth = MAX_DEPTH): Members {
  const result = new Map(Object.entries(members));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || value === undefined) result.delete(name);
    else if (isObject(value) && depth > 1)
      result.set(name, applyPatch(toMembers(result.get(name)), toMembers(value), depth - 1));
    else result.set(name, value);
  }
  return Object.fromEntries(result);
}

/** Returns the patch that turns `former` into `members`. */
export function diffMembers(former: Members, members: Members, depth = MAX_DEPTH): Members {
  const [before, after] = [new Map(Object.entries(former)), new Map(Object.entries(members))];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const changed = names.filter((name) => !isDeepStrictEqual(before.get(name), after.get(name)));
  return Object.fromEntries(
    changed.map((name) => {
      const [old, value] = [before.get(name), after.get(name)];
      const isWithin = isObject(old) && isObject(value) && depth > 1;
      return [name, isWithin ? diffMembers(toMembers(old), toMembers(value), depth - 1) : (value ?? null)];
    }),
  );
}
