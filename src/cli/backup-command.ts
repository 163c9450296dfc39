/** `kalends backup`: a copy of the live SQLite database that opens by itself. */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';

import { writeBackup } from '../system/backups.ts';
import { type Command, CommandError } from './command.ts';

/** In the audit log. */
const MOST_NAME = 200;

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Copy the live SQLite database into a file',
  positionals: [{ name: 'FILE', doc: 'A file that does not exist yet.' }],
  options: [],
  notes: [
    'Servers go on while it is made. The master key is not in it: keep that apart (docs/operations.md#backup). PostgreSQL is backed up with pg_dump.',
  ],
  async run({ positionals }, { config, withStorage, deps: { now } }) {
    const file = path.resolve(positionals.FILE ?? '');
    if (config().databaseUrl !== undefined) {
      throw new CommandError(
        'refused',
        'A PostgreSQL database is backed up with pg_dump; docs/operations.md shows how.',
      );
    }
    if (existsSync(file)) throw new CommandError('refused', `${file} exists already; name a new file.`);
    if (!existsSync(path.dirname(file))) {
      throw new CommandError('refused', `${path.dirname(file)} is not a folder; make it first.`);
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
      text: `Wrote ${file} (${size} bytes). Keep the master key as well, and apart from it: without the key the backup opens no credentials.`,
    };
  },
};
