/** The version of the program after this one, as an upgrade sees it: the same with one more migration. */
import { cpSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { temporaryFolder } from '../servers/process.ts';
import { ROOT } from './docs-blocks.ts';

export const NEXT_MIGRATION = 9999;

/** It adds alone, and holds up for a second what uses a table that every request needs. */
const MIGRATION = `
  CREATE TABLE next_version (name TEXT PRIMARY KEY);
  ALTER TABLE token_family ADD COLUMN next_version BIGINT NOT NULL DEFAULT 0;
  SELECT pg_sleep(1)`;

/** Makes a folder with it, which the caller removes. */
export function makeNextVersion(): string {
  const folder = temporaryFolder('next-version');
  for (const name of readdirSync(ROOT).filter((entry) => entry !== 'src' && !entry.startsWith('.')))
    symlinkSync(path.join(ROOT, name), path.join(folder, name));
  cpSync(path.join(ROOT, 'src'), path.join(folder, 'src'), { recursive: true });
  writeFileSync(path.join(folder, `src/store/migrations/${NEXT_MIGRATION}-next-version.sql`), MIGRATION);
  return folder;
}
