/** `kalends backup`: a complete copy of the live SQLite database. */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';

import { writeBackup } from '../system/backups.ts';
import { type Command, CommandError } from './command.ts';

/** The most characters of the file name in the audit log. */
const MOST_NAME = 200;

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Copy the live SQLite database into a file',
  positionals: [{ name: 'FILE', doc: 'A new file.' }],
  notes: [
    'Servers can run meanwhile. The backup does not contain the master key: store it elsewhere (docs/operations.md#backup). Back up PostgreSQL with pg_dump.',
  ],
  async run({ positionals }, { config, withStorage, deps: { now } }) {
    const file = path.resolve(positionals.FILE ?? '');
    if (config().databaseUrl !== undefined) {
      throw new CommandError(
        'refused',
        'Back up a PostgreSQL database with pg_dump; see docs/operations.md.',
      );
    }
    if (existsSync(file)) throw new CommandError('refused', `${file} exists already; name a new file.`);
    if (!existsSync(path.dirname(file))) {
      throw new CommandError('refused', `${path.dirname(file)} is not a folder; create it first.`);
    }
    const size = await withStorage(async ({ backup, system }) => {
      const at = now();
      await writeBackup(file, backup);
      const { size: bytes } = await stat(file);
      await system.noteBackup({ name: path.basename(file).slice(0, MOST_NAME), bytes, at });
      return bytes;
    });
    return {
      json: { file, bytes: size },
      text: `Wrote ${file} (${size} bytes). Store the master key as well, in another place: without it, the credentials in the backup cannot be opened.`,
    };
  },
};
