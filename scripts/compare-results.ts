/** Compares what two programs returned for the same request, except for random ids and times. */

const changed = new Map<string, string>();

/** Returns the messages that differ, as `base → current`, each once. */
export const changedMessages = (): readonly string[] =>
  [...changed].map(([before, after]) => `${before} → ${after}`);

const MESSAGE_FIELDS = ['message', 'error_description', 'detail', 'fix', 'www-authenticate'];
const RANDOM = /^(?=.*[A-Z\d])[\w.~:/+=-]{12,}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const NEAR_MS = 3_600_000;

/** Returns the first difference as `path: base ≠ current`, or `undefined`. Objects differ by the order of names too. */
export function findDifference(base: unknown, current: unknown, path = ''): string | undefined {
  if (isSame(base, current, path)) return undefined;
  if (isObject(base) && isObject(current)) {
    const [names, others] = [Object.keys(base), Object.keys(current)];
    // Mistakes are reported in the order of the field table, one for each field.
    if (path.endsWith('.details') && names.toSorted().join() === others.toSorted().join()) return undefined;
    if (names.join() !== others.join()) return `${path}: {${names}} ≠ {${others}}`;
    for (const name of names) {
      const difference = findDifference(base[name], current[name], `${path}.${name}`);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  return `${path}: ${JSON.stringify(base)} ≠ ${JSON.stringify(current)}`.slice(0, 500);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function isSame(base: unknown, current: unknown, path: string): boolean {
  if (Object.is(base, current)) return true;
  if (typeof base === 'number' && typeof current === 'number')
    return isDuration(path) || isNear(base, current);
  if (typeof base !== 'string' || typeof current !== 'string') return false;
  if (INSTANT.test(base) && INSTANT.test(current))
    return Math.abs(Date.parse(base) - Date.parse(current)) < NEAR_MS;
  if (/\.(details|missing)\./.test(path) || MESSAGE_FIELDS.includes(path.slice(path.lastIndexOf('.') + 1))) {
    changed.set(base, current);
    return true;
  }
  return base.length === current.length && RANDOM.test(base) && RANDOM.test(current);
}

/** Times in seconds or milliseconds, and durations. */
function isNear(base: number, current: number): boolean {
  const unit = base > 1e12 ? 1 : 1000;
  return base > 1e9 ? Math.abs(base - current) * unit < NEAR_MS : Math.abs(base - current) <= 2 && base > 30;
}

const isDuration = (path: string): boolean => /duration_?ms$/i.test(path);
