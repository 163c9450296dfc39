import { ProviderError, type ProviderErrorKind } from '../calendars/provider-error.ts';

/** Returns the result of `work`, or `undefined` if it fails as `kind`. */
export async function undefinedIf<T>(kind: ProviderErrorKind, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (failure) {
    if (failure instanceof ProviderError && failure.kind === kind) return undefined;
    throw failure;
  }
}
