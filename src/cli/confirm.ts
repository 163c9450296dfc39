/** Asking before something is deleted for good. */
import { createInterface } from 'node:readline/promises';

import { CommandError, type Context, type Input, usageError } from './command.ts';

/** The option every deleting command has. */
export const YES = { name: 'yes', doc: 'Do not ask; needed when nobody is at the terminal.' } as const;

/** Resolves when --yes was given or the person at the terminal typed yes; else throws. */
export async function confirm(what: string, { options }: Input, { io, json }: Context): Promise<void> {
  if (options.yes) return;
  if (!io.stdin.isTTY || json) throw usageError(`${what} cannot be undone: say --yes to do it.`);
  const reader = createInterface({ input: io.stdin, output: io.stderr });
  try {
    const answer = await reader.question(`${what} cannot be undone. Type yes to do it: `);
    if (answer.trim().toLowerCase() !== 'yes') throw new CommandError('refused', 'Nothing was changed.');
  } finally {
    reader.close();
  }
}
