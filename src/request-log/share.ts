/** Which successes are kept: a share that follows from the request's id, so that it costs next to nothing to say no. */

/** One success of so many is kept. */
export const ONE_IN = 100;

/** Mixed, because ids count up: callers who take turns would otherwise be kept always or never. */
export function isInShare(requestId: string): boolean {
  let mixed = 0x811c9dc5;
  for (let at = 0; at < requestId.length; at++) {
    mixed = Math.imul(mixed ^ requestId.charCodeAt(at), 0x01000193);
  }
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return ((mixed ^ (mixed >>> 13)) >>> 0) % ONE_IN === 0;
}
