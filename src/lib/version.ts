/** Which Kalends this is, and how it was installed. */
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of this program, such as `0.1.0`. For operators: strangers are not told. */
export function version(): string {
  const file = findPackageJSON(import.meta.url);
  const parsed: unknown = file === undefined ? undefined : JSON.parse(readFileSync(file, 'utf8'));
  if (typeof parsed === 'object' && parsed !== null && 'version' in parsed) return String(parsed.version);
  throw new Error(`No package.json above ${import.meta.filename} names a version`);
}

/** How commands are typed here: an installed program has a name of its own, a checkout is reached by npm. */
export const COMMAND = import.meta.filename.endsWith('.ts') ? 'npm run kalends --' : 'kalends';
