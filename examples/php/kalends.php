<?php
/** Kalends over plain HTTP: tokens that stay good, calls with them, and deliveries that are genuine. */
declare(strict_types=1);

/** The user has to connect again. */
class ReauthorizationRequired extends RuntimeException {}

/** What Kalends refused, in its words. */
class Refused extends RuntimeException {}

/** A write needs accounts that the user must reconnect. */
class AccountNeedsReconnect extends RuntimeException
{
    public function __construct(public readonly array $accounts)
    {
        parent::__construct();
    }
}

class Kalends
{
    public function __construct(
        public readonly string $url,
        public readonly string $clientId,
        private readonly string $clientSecret,
        private readonly string $webhookSecret,
        private readonly Storage $storage,
    ) {}

    public function exchangeCode(string $userId, string $code, string $redirectUri, string $codeVerifier): void
    {
        $form = ['code' => $code, 'redirect_uri' => $redirectUri, 'code_verifier' => $codeVerifier];
        $this->keep($userId, $this->token(['grant_type' => 'authorization_code'] + $form));
    }

    /** The address to send the browser to. Nobody can change a pushed request. */
    public function push(array $query): string
    {
        $basic = 'Basic ' . base64_encode("$this->clientId:$this->clientSecret");
        [$status, $answer] = $this->send('POST', '/par', $basic, 'application/x-www-form-urlencoded', http_build_query($query));
        if ($status !== 201) {
            throw new Refused($answer['message'] ?? "Kalends answered $status");
        }
        $pushed = ['client_id' => $this->clientId, 'request_uri' => $answer['request_uri']];
        return "$this->url/authorize?" . http_build_query($pushed);
    }

    /** The answer's JSON. An access token that has ended is renewed once, and the call repeated. */
    public function call(string $userId, string $method, string $path, ?array $json = null): array
    {
        $token = $this->accessToken($userId);
        [$status, $answer] = $this->send($method, $path, "Bearer $token", 'application/json', $json ? json_encode($json) : '');
        if ($status === 401) {
            $token = $this->accessToken($userId, $token);
            [$status, $answer] = $this->send($method, $path, "Bearer $token", 'application/json', $json ? json_encode($json) : '');
        }
        if ($status === 403 && ($answer['code'] ?? '') === 'reauth_required') {
            throw new AccountNeedsReconnect($answer['accounts']);
        }
        if ($status >= 400 || $status === 0) {
            throw new Refused($answer['message'] ?? "Kalends answered $status");
        }
        return $answer;
    }

    private function accessToken(string $userId, ?string $refused = null): string
    {
        // One refresh at a time, over all processes: the second one would spend a refresh token that is spent already.
        return $this->storage->locked($userId, function () use ($userId, $refused): string {
            $tokens = $this->storage->tokensOf($userId) ?? throw new ReauthorizationRequired();
            // Who waited for the lock finds what the one before has stored.
            if ($tokens['access_token'] !== $refused && $tokens['expires_at'] > (time() + 30) * 1000) {
                return $tokens['access_token'];
            }
            $answer = $this->token(['grant_type' => 'refresh_token', 'refresh_token' => $tokens['refresh_token']]);
            $this->keep($userId, $answer);
            return $answer['access_token'];
        });
    }

    /** Before the new tokens are used: the old refresh token is dead by now. */
    private function keep(string $userId, array $answer): void
    {
        $expiresAt = (time() + $answer['expires_in']) * 1000;
        $this->storage->saveTokens($userId, $answer['access_token'], $answer['refresh_token'], $expiresAt);
    }

    private function token(array $form): array
    {
        $basic = 'Basic ' . base64_encode("$this->clientId:$this->clientSecret");
        $type = 'application/x-www-form-urlencoded';
        [$status, $answer] = $this->send('POST', '/token', $basic, $type, http_build_query($form));
        if ($status === 400 && ($answer['error'] ?? '') === 'invalid_grant') {
            throw new ReauthorizationRequired($answer['error_description']);
        }
        return $status === 200 ? $answer : throw new Refused("Kalends answered $status");
    }

    /** @return array{int, array} the status, 0 without an answer, and the JSON */
    private function send(string $method, string $path, string $authorization, string $type, string $body): array
    {
        $headers = "Authorization: $authorization\r\n" . ($body === '' ? '' : "Content-Type: $type\r\n");
        $options = ['method' => $method, 'header' => $headers, 'content' => $body];
        $context = stream_context_create(['http' => $options + ['ignore_errors' => true, 'timeout' => 35]]);
        $text = file_get_contents($this->url . $path, false, $context);
        $status = (int) (explode(' ', $http_response_header[0] ?? ' 0')[1] ?? 0);
        return [$status, json_decode($text ?: '{}', true) ?? []];
    }

    /** A delivery of the last five minutes, signed with our secret (docs/webhooks.md). */
    public function isGenuine(string $id, string $timestamp, string $signatures, string $body): bool
    {
        if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
            return false;
        }
        $key = base64_decode(substr($this->webhookSecret, strlen('whsec_')));
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', $signatures) as $given) {
            if (hash_equals($expected, $given)) {
                return true;
            }
        }
        return false;
    }
}
