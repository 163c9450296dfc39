/** Which Kalends, on which Node. */
import { readFileSync } from 'node:fs';

import type { Result } from './command.ts';

/** package.json lies two folders up from here, in the repository (src/cli) and in the package (dist/cli). */
const PACKAGE = new URL('../../package.json', import.meta.url);

/** The version of this program, such as `0.1.0`. */
export function version(): string {
  const parsed: unknown = JSON.parse(readFileSync(PACKAGE, 'utf8'));
  if (typeof parsed === 'object' && parsed !== null && 'version' in parsed) return String(parsed.version);
  throw new Error(`${PACKAGE.pathname} names no version`);
}

export function versionResult(): Result {
  const kalends = version();
  return { json: { version: kalends, node: process.versions.node }, text: kalends };
}
