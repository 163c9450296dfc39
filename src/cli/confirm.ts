import { createInterface } from 'node:readline/promises';

import { CommandError, type Context, type Input, usageError } from './command.ts';

/** The option of every command that deletes. */
export const YES = { name: 'yes', doc: 'Do not ask for confirmation; required without a terminal.' } as const;

/** Resolves if --yes was given or the person at the terminal types yes, otherwise throws. */
export async function confirm(what: string, { options }: Input, { io, json }: Context): Promise<void> {
  if (options.yes) return;
  if (!io.stdin.isTTY || json) throw usageError(`${what} cannot be undone. Add --yes to confirm.`);
  const reader = createInterface({ input: io.stdin, output: io.stderr });
  try {
    const answer = await reader.question(`${what} cannot be undone. Type yes to do it: `);
    if (answer.trim().toLowerCase() !== 'yes') throw new CommandError('refused', 'Nothing was changed.');
  } finally {
    reader.close();
  }
}
