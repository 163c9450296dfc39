<?php
/** What the application keeps, in one file: the tokens of its users, and the changes it has heard of. */
declare(strict_types=1);

class Storage
{
    private readonly PDO $db;

    public function __construct(private readonly string $file)
    {
        $this->db = new PDO("sqlite:$file", options: [PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC]);
        // Each write is on the disk when it returns: new tokens are kept before they are used.
        $this->db->exec('PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL');
        $this->db->exec('CREATE TABLE IF NOT EXISTS tokens (
            user_id TEXT PRIMARY KEY, access_token TEXT, refresh_token TEXT, expires_at INTEGER)');
        $this->db->exec('CREATE TABLE IF NOT EXISTS changes (delivery_id TEXT PRIMARY KEY, user_id TEXT, text TEXT)');
    }

    /** Runs it while no other process does so for this user. */
    public function locked(string $userId, callable $work): mixed
    {
        $lock = fopen("$this->file-$userId.lock", 'c');
        flock($lock, LOCK_EX);
        try {
            return $work();
        } finally {
            fclose($lock);
        }
    }

    public function tokensOf(string $userId): ?array
    {
        return $this->rows('SELECT * FROM tokens WHERE user_id = ?', $userId)[0] ?? null;
    }

    public function saveTokens(string $userId, string $accessToken, string $refreshToken, int $expiresAt): void
    {
        $this->rows('INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?)', $userId, $accessToken, $refreshToken, $expiresAt);
    }

    /** A delivery that came before is left as it is. */
    public function addChange(string $deliveryId, string $userId, string $text): void
    {
        $this->rows('INSERT OR IGNORE INTO changes VALUES (?, ?, ?)', $deliveryId, $userId, $text);
    }

    public function changesOf(string $userId): array
    {
        $query = 'SELECT text FROM changes WHERE user_id = ? ORDER BY rowid DESC LIMIT 20';
        return array_column($this->rows($query, $userId), 'text');
    }

    private function rows(string $sql, string|int ...$values): array
    {
        $statement = $this->db->prepare($sql);
        $statement->execute($values);
        return $statement->fetchAll();
    }
}
