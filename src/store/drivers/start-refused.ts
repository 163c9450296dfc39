/** The database or its key is not to be had as configured. The message says what to do; no secret is in it. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}
