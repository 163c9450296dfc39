/** A receiver in Python that verifies deliveries, written from the wire interface alone. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

import type { Received } from './receiver.ts';

/** A file of Debian's python3-cryptography. */
export const CRYPTOGRAPHY = '/usr/lib/python3/dist-packages/cryptography/__init__.py';
const VERIFIER = path.join(import.meta.dirname, 'verify_delivery.py');

/** Returns `verified`, or the reason of the refusal, by the keys of the list at this URL, which can be a data URL. */
export async function verdictOf({ headers, raw }: Received, keysUrl: string): Promise<string> {
  const child = promisify(execFile)('/usr/bin/python3', [VERIFIER]);
  child.child.stdin?.end(JSON.stringify({ keys_url: keysUrl, headers, body: raw }));
  return (await child).stdout.trim();
}
