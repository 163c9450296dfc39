/** The four kinds of provider, in the order every list has (docs/wire.md 2.4). */
export type ProviderKind = 'google' | 'microsoft' | 'apple' | 'caldav';

export const PROVIDER_KINDS: readonly ProviderKind[] = ['google', 'microsoft', 'apple', 'caldav'];

/** The kind that `text` names, in any case and with any space around it. */
export function parseProviderKind(text: string): ProviderKind | undefined {
  const name = text.trim().toLowerCase();
  return PROVIDER_KINDS.find((kind) => kind === name);
}
