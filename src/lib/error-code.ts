/** Returns the code of a failure from the system or a library, such as ENOENT; undefined if it has none. */
export function errorCode(failure: unknown): string | undefined {
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
