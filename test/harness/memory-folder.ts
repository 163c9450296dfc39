/** The folder for temporary files of `npm test`: in memory if possible, since thousands of databases are created. */
import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const MEMORY = '/dev/shm';
const NAME = 'kalends-tests-';
/** Several times what a whole run needs at once. */
const ROOM_BYTES = 6e9;

/**
 * Creates a folder in memory that all users may enter and whose programs run; `undefined` if there is no room for it.
 */
export function makeMemoryFolder(): string | undefined {
  if (process.platform !== 'linux' || freeBytes() < ROOM_BYTES) return undefined;
  removeLeftBehind();
  const folder = mkdtempSync(path.join(MEMORY, `${NAME}${process.pid}-`));
  chmodSync(folder, 0o755);
  if (runsPrograms(folder)) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
}

function freeBytes(): number {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** Removes the folders of killed runs, which would otherwise stay in memory. */
function removeLeftBehind(): void {
  for (const folder of globSync(path.join(MEMORY, `${NAME}*`))) {
    const pid = path.basename(folder).slice(NAME.length).split('-')[0];
    if (!globSync(`/proc/${pid}`).length) rmSync(folder, { recursive: true, force: true });
  }
}

function runsPrograms(folder: string): boolean {
  const program = path.join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  return spawnSync(program).status === 0;
}
