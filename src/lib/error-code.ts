/** What the system, or a library, calls a failure: such as ENOENT; undefined where it has no such name. */
export function errorCode(failure: unknown): string | undefined {
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
