/** Finds what a crash left out of an exception that is written in parts. */
import { isDeepStrictEqual } from 'node:util';

import { readMember } from './json-value.ts';

/** Returns the members of `own` in which the exception is still like its series. */
export function missingMembers<T extends object>(own: T, exception: object, series: object): Partial<T> {
  const missing = Object.entries(own).filter(([name, value]) => {
    const current = readMember(exception, name);
    return isDeepStrictEqual(current, readMember(series, name)) && !isDeepStrictEqual(current, value);
  });
  // Members of `own`.
  return Object.fromEntries(missing) as Partial<T>;
}
