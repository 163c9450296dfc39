/** The application's storage, in one file: its sessions, the tokens of its users, and the changes that it received. */
import { DatabaseSync } from 'node:sqlite';

/** Opens `file`, and creates it if it does not exist. */
export function openStorage(file) {
  const db = new DatabaseSync(file);
  // Each write is on disk when it returns: new tokens are stored before they are used.
  db.exec(`
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS tokens (
      user_id TEXT PRIMARY KEY, access_token TEXT, refresh_token TEXT, expires_at INTEGER);
    CREATE TABLE IF NOT EXISTS changes (delivery_id TEXT PRIMARY KEY, user_id TEXT, text TEXT);
    CREATE TABLE IF NOT EXISTS sessions (name TEXT PRIMARY KEY, session TEXT);`);
  return {
    sessionOf(name) {
      const row = db.prepare('SELECT session FROM sessions WHERE name = ?').get(name);
      return row && JSON.parse(row.session);
    },
    saveSession(name, session) {
      db.prepare('INSERT OR REPLACE INTO sessions VALUES (?, ?)').run(name, JSON.stringify(session));
    },
    tokensOf(userId) {
      const row = db.prepare('SELECT * FROM tokens WHERE user_id = ?').get(userId);
      if (row === undefined) return undefined;
      return { accessToken: row.access_token, refreshToken: row.refresh_token, expiresAt: row.expires_at };
    },
    saveTokens(userId, { accessToken, refreshToken, expiresAt }) {
      db.prepare('INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?)').run(
        userId,
        accessToken,
        refreshToken,
        expiresAt,
      );
    },
    /** Ignores a delivery that was stored before. */
    addChange(deliveryId, userId, text) {
      db.prepare('INSERT OR IGNORE INTO changes VALUES (?, ?, ?)').run(deliveryId, userId, text);
    },
    changesOf(userId) {
      const rows = db.prepare('SELECT text FROM changes WHERE user_id = ? ORDER BY rowid DESC LIMIT 20');
      return rows.all(userId).map(({ text }) => text);
    },
  };
}
