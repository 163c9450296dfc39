/**
 * `--keep DIR`: a folder with the whole state of a sandbox. Its providers' state is one value in a small database. Its
 * lock tells whether another sandbox uses the folder, and ends with the process that holds it, however that ends.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deserialize, serialize } from 'node:v8';

import { version } from '../src/lib/version.ts';
import type { CalDavState } from './caldav/caldav-sandbox.ts';
import type { DemoSession } from './demo/demo-session.ts';
import type { GoogleState } from './google/google-sandbox.ts';
import type { MicrosoftState } from './microsoft/microsoft-sandbox.ts';
import type { AccountsEvents } from './people/people.ts';
import type { Ports } from './ports.ts';

export type SandboxState = {
  readonly ports: Ports;
  /** The milliseconds by which the providers' clock is ahead. */
  readonly ahead: number;
  readonly google: GoogleState;
  readonly microsoft: MicrosoftState;
  readonly icloud: CalDavState;
  readonly caldav: CalDavState;
  readonly events: AccountsEvents;
  readonly sessions: Map<string, DemoSession>;
};

export interface KeptFolder {
  /** The data folder of Kalends itself. */
  readonly dataDir: string;
  /** A copy of the state that was saved last. */
  readonly state: SandboxState | undefined;
  /** Returns when the state survives a killed process. */
  save(state: SandboxState): void;
  close(): void;
}

const FILE = 'sandbox.db';
const BUSY = 5;

/**
 * Opens the folder, and creates it if it does not exist. Throws an Error with a sentence for the user if it cannot be
 * used.
 */
export function openKeptFolder(folder: string): KeptFolder {
  const root = path.resolve(folder);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  if (!existsSync(path.join(root, FILE)) && readdirSync(root).length > 0) {
    const what = existsSync(path.join(root, 'kalends.db'))
      ? 'the data of a Kalends server, which a sandbox must not touch'
      : 'something that is no sandbox’s';
    throw new Error(`${root} holds ${what}: name an empty or a new folder.`);
  }
  const db = openLocked(root);
  db.exec(
    'CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY, version TEXT NOT NULL, value BLOB NOT NULL)',
  );
  let saved: Buffer | undefined;
  const put = db.prepare('INSERT OR REPLACE INTO state (id, version, value) VALUES (1, ?, ?)');
  return {
    dataDir: path.join(root, 'kalends'),
    state: stateIn(db, root),
    save(state) {
      const value = serialize(state);
      if (saved !== undefined && value.equals(saved)) return;
      put.run(version(), value);
      saved = value;
    },
    close: () => db.close(),
  };
}

function openLocked(root: string): DatabaseSync {
  const file = path.join(root, FILE);
  const db = new DatabaseSync(file);
  try {
    // The file has tokens, and other users may be able to read the folder.
    chmodSync(file, 0o600);
    // A power failure may lose the last moments; a killed process loses nothing.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF; BEGIN EXCLUSIVE; COMMIT;');
    return db;
  } catch (failure) {
    db.close();
    if (failure instanceof Error && 'errcode' in failure && failure.errcode === BUSY) {
      const message = `Another sandbox is running in ${root}: end that one, or name another folder.`;
      throw new Error(message, { cause: failure });
    }
    throw failure;
  }
}

function stateIn(db: DatabaseSync, root: string): SandboxState | undefined {
  const row = db.prepare('SELECT version, value FROM state').get();
  if (row === undefined) return undefined;
  if (row.version !== version() || !(row.value instanceof Uint8Array)) {
    db.close();
    const message = `${root} is of a sandbox of Kalends ${row.version}, and this is ${version()}: name a new folder.`;
    throw new Error(message);
  }
  // `save` of the same version has written this value.
  return deserialize(row.value) as SandboxState;
}
