/** The configured database or its key cannot be used. The message says what to do and contains no secret. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}
