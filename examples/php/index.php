<?php
/** An application in plain PHP whose users connect their calendars through Kalends. README.md goes through it. */
declare(strict_types=1);

require 'storage.php';
require 'kalends.php';

const FORM = '<form method="post" action="/events">
<label for="title">Title</label><input id="title" name="title" required>
<label for="start">Start (UTC)</label><input id="start" name="start" type="datetime-local" required>
<button>Add</button></form>';

$redirectUri = 'http://localhost:' . (getenv('PORT') ?: '3000') . '/callback';
$storage = new Storage(getenv('STORAGE') ?: 'storage.db');
$names = ['KALENDS_URL', 'KALENDS_CLIENT_ID', 'KALENDS_CLIENT_SECRET', 'KALENDS_WEBHOOK_SECRET'];
$kalends = new Kalends(...[...array_map('getenv', $names), $storage]);
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);

try {
    if ("{$_SERVER['REQUEST_METHOD']} $path" === 'POST /webhooks') {
        receiveWebhook($kalends, $storage);
        return;
    }
    // Stands for your own sign-in: each browser is a user of its own. Lax: forms of other sites are sent without it.
    session_start(['cookie_httponly' => true, 'cookie_samesite' => 'Lax', 'use_strict_mode' => true]);
    $_SESSION['user_id'] ??= 'user-' . bin2hex(random_bytes(8));
    $session = $_SESSION;
    match ("{$_SERVER['REQUEST_METHOD']} $path") {
        'GET /' => agenda($kalends, $storage, $session['user_id']),
        'GET /connect' => connect($kalends, $redirectUri),
        'GET /callback' => callback($kalends, $redirectUri),
        'POST /events' => addEvent($kalends, $session['user_id']),
        default => respond(404, 'There is nothing here.'),
    };
} catch (ReauthorizationRequired) {
    respond(200, welcome('Please connect your calendar again.'));
} catch (AccountNeedsReconnect $needed) {
    respond(409, '<p>Nothing was saved.</p>' . reconnectLinks($needed->accounts));
} catch (Refused $refused) {
    respond(502, welcome("That did not work: {$refused->getMessage()}"));
}

function connect(Kalends $kalends, string $redirectUri): void
{
    $_SESSION['state'] = token(16);
    $_SESSION['code_verifier'] = token(32);
    $query = [
        'user_id' => $_SESSION['user_id'],
        'response_type' => 'code',
        'redirect_uri' => $redirectUri,
        'scope' => 'read-write',
        'state' => $_SESSION['state'],
        'code_challenge' => base64url(hash('sha256', $_SESSION['code_verifier'], true)),
        'code_challenge_method' => 'S256',
    ];
    // The flow of "Reconnect" starts with the sign-in of that account.
    if (is_string($_GET['account'] ?? null) && is_string($_GET['provider'] ?? null)) {
        $query['reconnect'] = "{$_GET['provider']}:{$_GET['account']}";
    }
    header("Location: {$kalends->push($query)}", true, 303);
}

function callback(Kalends $kalends, string $redirectUri): void
{
    $state = $_SESSION['state'] ?? null;
    unset($_SESSION['state']);
    if ($state === null || !hash_equals($state, (string) ($_GET['state'] ?? ''))) {
        respond(400, welcome('This response does not belong to a flow of this browser.'));
        return;
    }
    // The code is the user's id: only that of who is signed in here is taken.
    if (($_GET['code'] ?? '') !== $_SESSION['user_id']) {
        respond(400, welcome('Nothing was connected.'));
        return;
    }
    $kalends->exchangeCode($_SESSION['user_id'], $_GET['code'], $redirectUri, $_SESSION['code_verifier']);
    header('Location: /', true, 303);
}

function agenda(Kalends $kalends, Storage $storage, string $userId): void
{
    if ($storage->tokensOf($userId) === null) {
        respond(200, welcome());
        return;
    }
    // What the session holds is read: others of this user need not wait for Kalends.
    session_write_close();
    $window = http_build_query(['start' => gmdate('c'), 'end' => gmdate('c', time() + 28 * 86400)]);
    $answer = $kalends->call($userId, 'GET', "/events?$window");
    $events = array_map(fn($event) => substr($event['start'], 0, 16) . ' ' . $event['title'], $answer['events']);
    $broken = array_filter($answer['errors'] ?? [], fn($one) => $one['code'] === 'reauth_required');
    respond(200, reconnectLinks($broken) . listOf($events) . FORM . '<h2>Changes</h2>' . listOf($storage->changesOf($userId)));
}

function addEvent(Kalends $kalends, string $userId): void
{
    session_write_close();
    $start = strtotime((string) ($_POST['start'] ?? '') . 'Z');
    $title = $_POST['title'] ?? '';
    if (!is_string($title) || $title === '' || $start === false) {
        respond(400, 'A title and a start, please.');
        return;
    }
    $writable = array_filter($kalends->call($userId, 'GET', '/calendars'), fn($one) => $one['access'] === 'write');
    if ($writable === []) {
        respond(409, 'None of your calendars can be written to.');
        return;
    }
    $place = reset($writable);
    $event = ['provider' => $place['provider'], 'calendarId' => $place['id'], 'title' => $title];
    $kalends->call($userId, 'POST', '/event', $event + ['start' => gmdate('c', $start), 'end' => gmdate('c', $start + 3600)]);
    header('Location: /', true, 303);
}

function receiveWebhook(Kalends $kalends, Storage $storage): void
{
    $body = file_get_contents('php://input');
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $signatures = $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '';
    if (!$kalends->isGenuine($id, $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '', $signatures, $body)) {
        respond(401, 'This is not a delivery of ours.');
        return;
    }
    $delivery = json_decode($body, true);
    // One key signs for every application of an instance.
    if ($delivery['metadata']['clientId'] !== $kalends->clientId) {
        respond(401, 'This is for another application.');
        return;
    }
    $told = array_map(fn($event) => "{$event['changeType']}: {$event['title']}", $delivery['events'] ?? []);
    $text = implode(', ', $told) ?: 'A calendar was read for the first time';
    $storage->addChange($id, $delivery['userId'], $text);
    http_response_code(204);
}

function respond(int $status, string $content): void
{
    http_response_code($status);
    header('Content-Type: text/html; charset=utf-8');
    echo "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Agenda</title><h1>Agenda</h1>$content</html>";
}

function welcome(string $notice = ''): string
{
    return '<p>' . htmlspecialchars($notice) . '</p><p><a href="/connect">Connect a calendar</a></p>';
}

function reconnectLinks(array $accounts): string
{
    $link = function (array $one): string {
        $query = http_build_query(['provider' => $one['provider'], 'account' => $one['account']]);
        return '<p><a href="/connect?' . htmlspecialchars($query) . '">Reconnect ' . htmlspecialchars($one['account']) . '</a></p>';
    };
    return implode('', array_map($link, $accounts));
}

function listOf(array $items): string
{
    return '<ul>' . implode('', array_map(fn($item) => '<li>' . htmlspecialchars($item) . '</li>', $items)) . '</ul>';
}

function token(int $bytes): string
{
    return base64url(random_bytes($bytes));
}

function base64url(string $bytes): string
{
    return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
}
