"""What the application keeps, in one file: the tokens of its users, and the changes it has heard of."""

import sqlite3


class Storage:
    def __init__(self, file):
        # Each write is on the disk when it returns: new tokens are kept before they are used.
        self.db = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        self.db.executescript("""
            PRAGMA synchronous = FULL;
            CREATE TABLE IF NOT EXISTS tokens (
              user_id TEXT PRIMARY KEY, access_token TEXT, refresh_token TEXT, expires_at INTEGER);
            CREATE TABLE IF NOT EXISTS changes (delivery_id TEXT PRIMARY KEY, user_id TEXT, text TEXT);""")

    def tokens_of(self, user_id):
        query = "SELECT access_token, refresh_token, expires_at FROM tokens WHERE user_id = ?"
        return self.db.execute(query, [user_id]).fetchone()

    def save_tokens(self, user_id, *tokens):
        self.db.execute("INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?)", [user_id, *tokens])

    def add_change(self, delivery_id, user_id, text):
        """A delivery that came before is left as it is."""
        self.db.execute("INSERT OR IGNORE INTO changes VALUES (?, ?, ?)", [delivery_id, user_id, text])

    def changes_of(self, user_id):
        query = "SELECT text FROM changes WHERE user_id = ? ORDER BY rowid DESC LIMIT 20"
        return [text for (text,) in self.db.execute(query, [user_id])]
