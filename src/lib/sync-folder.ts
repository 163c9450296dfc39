import { open } from 'node:fs/promises';

/** Flushes the names in a folder to disk, so that a renamed or linked file keeps its name after a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders. Its file systems journal names themselves.
  if (process.platform === 'win32') return;
  await syncFile(folder);
}

/** Flushes the content of a file to disk. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r');
  await handle.sync().finally(() => handle.close());
}
