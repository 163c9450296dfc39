import { open } from 'node:fs/promises';

/** Brings the names in a folder to the disk: a file that was renamed or linked there has its name after a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders; its file systems keep their own journal of names.
  if (process.platform === 'win32') return;
  await syncFile(folder);
}

/** Brings what a file holds to the disk. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r');
  await handle.sync().finally(() => handle.close());
}
