/** Whether an SQLite file is whole: by its first page (https://sqlite.org/fileformat2.html#the_database_header), or all of it. */
import { open } from 'node:fs/promises';

import { SqliteConnection } from './sqlite-connection.ts';
import { textToFind } from './text-values.ts';

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const [PAGE_SIZE_AT, PAGE_COUNT_AT] = [16, 28];

/** Whether it is an SQLite database with all its pages. What they hold is not looked at. */
export async function isWholeFile(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const { bytesRead } = await handle.read(header, 0, HEADER_BYTES, 0);
    if (bytesRead < HEADER_BYTES || !header.toString('latin1').startsWith(MAGIC)) return false;
    const stored = header.readUInt16BE(PAGE_SIZE_AT);
    // 65,536 has no room in its two bytes.
    const pageSize = stored === 1 ? 65_536 : stored;
    return (await handle.stat()).size === pageSize * header.readUInt32BE(PAGE_COUNT_AT);
  } finally {
    await handle.close();
  }
}

/** Reads all of it; answers the first thing that is wrong, and undefined where nothing is. */
export function checkIntegrity(file: string): string | undefined {
  const connection = new SqliteConnection(file, textToFind, 0);
  try {
    const result = connection.get<{ integrityCheck: string }>('PRAGMA integrity_check(1)', {});
    return result?.integrityCheck === 'ok' ? undefined : (result?.integrityCheck ?? 'no answer');
  } catch (reason) {
    return reason instanceof Error ? reason.message : String(reason);
  } finally {
    connection.close();
  }
}
