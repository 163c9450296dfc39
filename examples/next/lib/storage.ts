/** The application's storage, in one file: its sessions, the tokens of its users, and the changes that it received. */
import { DatabaseSync } from 'node:sqlite';

import type { Tokens } from '@kalends/client';

/** The session of a browser; `state` and `codeVerifier` exist while the user connects. */
export type Session = { readonly userId: string; readonly state?: string; readonly codeVerifier?: string };

/** The change of one delivery, with the delivery's id. */
export type Change = { readonly id: string; readonly text: string };

/** Opens `file`, and creates it if it does not exist. */
function openStorage(file: string) {
  const db = new DatabaseSync(file);
  // Each write is on disk when it returns: new tokens are stored before they are used.
  db.exec(`
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS tokens (
      user_id TEXT PRIMARY KEY, access_token TEXT, refresh_token TEXT, expires_at INTEGER);
    CREATE TABLE IF NOT EXISTS changes (delivery_id TEXT PRIMARY KEY, user_id TEXT, text TEXT);
    CREATE TABLE IF NOT EXISTS sessions (name TEXT PRIMARY KEY, session TEXT);`);
  return {
    sessionOf(name: string): Session | undefined {
      const row = db.prepare('SELECT session FROM sessions WHERE name = ?').get(name);
      // saveSession has written this JSON.
      return row && (JSON.parse(String(row.session)) as Session);
    },
    saveSession(name: string, session: Session): void {
      db.prepare('INSERT OR REPLACE INTO sessions VALUES (?, ?)').run(name, JSON.stringify(session));
    },
    tokensOf(userId: string): Tokens | undefined {
      const row = db.prepare('SELECT * FROM tokens WHERE user_id = ?').get(userId);
      if (row === undefined) return undefined;
      const { access_token: accessToken, refresh_token: refreshToken, expires_at: expiresAt } = row;
      return {
        accessToken: String(accessToken),
        refreshToken: String(refreshToken),
        expiresAt: Number(expiresAt),
      };
    },
    saveTokens(userId: string, { accessToken, refreshToken, expiresAt }: Tokens): void {
      const save = db.prepare('INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?)');
      save.run(userId, accessToken, refreshToken, expiresAt);
    },
    /** Ignores a delivery that was stored before. */
    addChange(deliveryId: string, userId: string, text: string): void {
      db.prepare('INSERT OR IGNORE INTO changes VALUES (?, ?, ?)').run(deliveryId, userId, text);
    },
    changesOf(userId: string): Change[] {
      const rows = db.prepare('SELECT * FROM changes WHERE user_id = ? ORDER BY rowid DESC LIMIT 20');
      return rows.all(userId).map((row) => ({ id: String(row.delivery_id), text: String(row.text) }));
    },
  };
}

/** Next.js may load this module more than once: objects that must exist once per process are kept here. */
const kept = globalThis as typeof globalThis & { storage?: ReturnType<typeof openStorage> };

/** Returns the process's one storage. The first call opens it, which no build does. */
export function storage() {
  kept.storage ??= openStorage(process.env.STORAGE ?? 'storage.db');
  return kept.storage;
}
