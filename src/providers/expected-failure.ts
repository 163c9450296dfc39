import { ProviderError, type ProviderErrorKind } from '../calendars/provider-error.ts';

/** What `work` answers; `undefined` where it fails as `kind`, which is an answer too. */
export async function undefinedIf<T>(kind: ProviderErrorKind, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (failure) {
    if (failure instanceof ProviderError && failure.kind === kind) return undefined;
    throw failure;
  }
}
