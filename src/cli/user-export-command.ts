/** `kalends user export`: everything kept about a user, as one JSON document. */
import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { exportUser } from '../user-data/export-user.ts';
import { CLIENT_ID } from './client-commands.ts';
import { type Command, CommandError } from './command.ts';
import { text } from './option-values.ts';
import { safeJson } from './terminal-text.ts';
import { findUser, USER_ID } from './user-argument.ts';

/** Everything kept about a user goes to standard output, or into a file that only its owner may read. */
export const userExport: Command = {
  name: 'user export',
  summary: 'Write everything kept about a user as one JSON document',
  positionals: [CLIENT_ID, USER_ID],
  options: [
    { name: 'output', value: 'FILE', doc: 'A file that does not exist yet, instead of standard output.' },
  ],
  notes: [
    'It has events, addresses of accounts and bodies of deliveries, and no credentials: give it to nobody but the user. The audit log notes that it was made. docs/privacy.md says what is in it.',
  ],
  run: ({ positionals, options }, context) =>
    context.withStorage(async (storage) => {
      const { clientId, userId } = await findUser(storage, positionals);
      const file = fileOf(text(options.output));
      const { deps, io } = context;
      const pieces = await exportUser(
        { clientId, userId },
        { userRecords: storage.userRecords, now: deps.now },
      );
      // Deleted since it was found.
      if (pieces === undefined) throw new CommandError('not_found', `The user "${userId}" is gone.`);
      if (file === undefined) {
        for await (const piece of pieces) io.stdout.write(safeJson(piece));
        return undefined;
      }
      await writeFile(pieces, file);
      const { size } = await stat(file);
      return {
        json: { client_id: clientId, user_id: userId, file, bytes: size },
        text: `Wrote ${file} (${size} bytes). It is readable by you alone; give it to nobody but the user.`,
      };
    }),
};

/** Throws CommandError for one that exists or cannot be made. */
function fileOf(named: string | undefined): string | undefined {
  if (named === undefined) return undefined;
  const file = path.resolve(named);
  if (existsSync(file)) throw new CommandError('refused', `${file} exists already; name a new file.`);
  if (existsSync(path.dirname(file))) return file;
  throw new CommandError('refused', `${path.dirname(file)} is not a folder; make it first.`);
}

/** Under another name until it is complete, so that a partial document is never taken for a whole one. */
async function writeFile(pieces: AsyncIterable<string>, file: string): Promise<void> {
  const partial = `${file}.partial`;
  try {
    await pipeline(Readable.from(pieces), createWriteStream(partial, { mode: 0o600, flags: 'wx' }));
    await rename(partial, file);
  } catch (reason) {
    await rm(partial, { force: true });
    throw reason;
  }
}
