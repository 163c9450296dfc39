/** Who changes something by the command line, for the audit log. */
import { userInfo } from 'node:os';

import type { Caller } from '../audit/audit-entry.ts';

/** `now` answers epoch milliseconds. */
export const commandLineCaller = (now: () => number): Caller => ({
  actor: { kind: 'command_line', name: nameOfUser() },
  address: undefined,
  now,
});

/** A user that the system has no name of, as in some containers, is known by its number. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
