/** `kalends user export`: all stored data of a user as one JSON document. */
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
import { USER_ID, withUser } from './user-argument.ts';

export const userExport: Command = {
  name: 'user export',
  summary: 'Export all stored data of a user as one JSON document',
  positionals: [CLIENT_ID, USER_ID],
  options: [{ name: 'output', value: 'FILE', doc: 'Write to a new file instead of standard output.' }],
  notes: [
    'The export contains events, addresses of accounts and bodies of deliveries, but no credentials. Give it only to the user. The audit log records the export. docs/privacy.md describes its content.',
  ],
  run: (input, context) =>
    withUser(input, context, async ({ clientId, userId }, { userRecords, by }) => {
      const file = newFile(text(input.options.output));
      const { deps, io } = context;
      const pieces = await exportUser({ clientId, userId }, { userRecords, now: deps.now, by });
      if (pieces === undefined)
        throw new CommandError('not_found', `The user "${userId}" was deleted meanwhile.`);
      if (file === undefined) {
        for await (const piece of pieces) io.stdout.write(safeJson(piece));
        return undefined;
      }
      await writeFile(pieces, file);
      const { size } = await stat(file);
      return {
        json: { client_id: clientId, user_id: userId, file, bytes: size },
        text: `Wrote ${file} (${size} bytes). Only you can read it. Give it only to the user.`,
      };
    }),
};

/** Returns the absolute path. Throws CommandError if the file exists or its folder does not. */
function newFile(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const file = path.resolve(name);
  if (existsSync(file)) throw new CommandError('refused', `${file} exists already; name a new file.`);
  if (existsSync(path.dirname(file))) return file;
  throw new CommandError('refused', `${path.dirname(file)} is not a folder; create it first.`);
}

/** Writes under another name first, so that nothing mistakes a partial document for a complete one. */
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
