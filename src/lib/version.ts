import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** Returns the version of this program, such as `0.1.0`. */
export function version(): string {
  const file = findPackageJSON(import.meta.url);
  const parsed: unknown = file === undefined ? undefined : JSON.parse(readFileSync(file, 'utf8'));
  if (typeof parsed === 'object' && parsed !== null && 'version' in parsed) return String(parsed.version);
  throw new Error(`No package.json above ${import.meta.filename} names a version`);
}

/** The command to type: an installed program has its own name, a checkout runs it with npm. */
export const COMMAND = import.meta.filename.endsWith('.ts') ? 'npm run kalends --' : 'kalends';
