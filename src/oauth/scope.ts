/** Scopes: the three of docs/wire.md O2.8, and the aliases that published clients send (docs/wire.md C3). */
export type Scope = 'free-busy' | 'read' | 'read-write';

/** From the smallest to the widest. */
export const SCOPES: readonly Scope[] = ['free-busy', 'read', 'read-write'];

const ALIASES: Readonly<Record<string, Scope>> = {
  calendar: 'read-write',
  'calendar.readonly': 'read',
  'calendar.read': 'read',
};

/**
 * Returns the widest scope, by default `read-write`; `undefined` if any part is unknown, so that typos grant nothing.
 */
export function parseScope(text: string | undefined): Scope | undefined {
  const parts = (text ?? '').split(/[\s,]+/).filter((part) => part !== '');
  if (parts.length === 0) return 'read-write';
  let widest = 0;
  for (const part of parts) {
    const scope =
      SCOPES.find((name) => name === part) ?? (Object.hasOwn(ALIASES, part) ? ALIASES[part] : undefined);
    if (scope === undefined) return undefined;
    widest = Math.max(widest, SCOPES.indexOf(scope));
  }
  return SCOPES[widest];
}

/** Returns the scope that allows less. */
export const narrowerScope = (one: Scope, other: Scope): Scope => (scopeCovers(one, other) ? other : one);

/** Returns whether a grant of scope `granted` covers scope `needed`. */
export const scopeCovers = (granted: Scope, needed: Scope): boolean =>
  SCOPES.indexOf(granted) >= SCOPES.indexOf(needed);
