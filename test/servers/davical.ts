/**
 * Debian's DAViCal on a PostgreSQL of its own, served by PHP's built-in server. It schedules between its own users; to others
 * it sends nothing unless servers know each other.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { freePort } from '../harness/loopback.ts';
import { startPostgres } from '../harness/postgres.ts';
import { answering, removeFolder, run, temporaryFolder, USERS, withCalendars } from './process.ts';
import { type SchedulingServer, takeInbox } from './scheduling.ts';

export const DAVICAL = '/usr/share/davical/htdocs/caldav.php';

const DOMAIN = 'davical.example';
const addressOf = (user: string): string => `${user}@${DOMAIN}`;

/** Each user also has the calendar that invitations arrive in. */
export async function startDavical(calendars: readonly string[] = ['work']): Promise<SchedulingServer> {
  const folder = temporaryFolder('davical');
  const [postgres, port] = [await startPostgres(), await freePort()];
  const origin = `http://127.0.0.1:${port}`;
  const url = postgres.url;
  writeFileSync(path.join(folder, 'davical-conf.php'), configuration(url));
  writeFileSync(path.join(folder, 'router.php'), router(folder));
  const settings = ['display_errors=0', 'log_errors=1', 'error_reporting=0', 'opcache.enable_cli=1'];
  const options = settings.flatMap((setting) => ['-d', setting]);
  // Each request is answered by one of these processes: some ask the server itself.
  const server = run('php', [...options, '-S', `127.0.0.1:${port}`, path.join(folder, 'router.php')], {
    env: { PHP_CLI_SERVER_WORKERS: '4' },
  });
  const calendarUrl = (user: string, calendar: string) => `${origin}/caldav.php/${user}/${calendar}/`;
  const stop = async () => {
    await server.stop();
    await postgres.stop();
    removeFolder(folder);
  };
  const setPassword = (user: string, password: string) =>
    load(url, ['-c', `UPDATE usr SET password = '**${password}' WHERE username = '${user}'`]);

  const davical = { name: 'DAViCal', origin, typed: `${origin}/caldav.php/`, calendarUrl, setPassword, stop };
  const ready = makeDatabase(url).then(() => answering(`${origin}/caldav.php/`, server));
  const started = await withCalendars(davical, ['calendar', ...calendars], { ready, output: server.output });
  const takeSent = async () => {
    const inboxes = Object.keys(USERS).map((user) =>
      takeInbox(user, calendarUrl(user, '.in'), addressOf(user)),
    );
    return (await Promise.all(inboxes)).flat();
  };
  // An inbox comes to be when its owner first looks.
  await takeSent();
  return { ...started, addressOf, invitationsUrl: (user) => calendarUrl(user, 'calendar'), takeSent };
}

const SCHEMA = [
  '/usr/share/awl/dba/awl-tables.sql',
  '/usr/share/awl/dba/schema-management.sql',
  '/usr/share/davical/dba/davical.sql',
  '/usr/share/davical/dba/supported_locales.sql',
  '/usr/share/davical/dba/caldav_functions.sql',
  '/usr/share/davical/dba/rrule_functions.sql',
  '/usr/share/davical/dba/views/dav_principal.sql',
  '/usr/share/davical/dba/base-data.sql',
];

async function makeDatabase(url: string): Promise<void> {
  const users = Object.entries(USERS).map(([user, password]) => {
    const values = `true, current_date, current_timestamp, '${user}', '**${password}', '${user}', '${addressOf(user)}'`;
    return `INSERT INTO usr (active, email_ok, updated, username, password, fullname, email) VALUES (${values});`;
  });
  const privileges = `privilege_to_bits(ARRAY['read-free-busy', 'schedule-deliver'])`;
  const principals = `INSERT INTO principal (type_id, user_no, displayname, default_privileges)
    SELECT 1, user_no, fullname, ${privileges} FROM usr WHERE user_no > 1;`;
  await load(url, [
    ...['-c', 'CREATE ROLE davical_dba', '-c', 'CREATE ROLE davical_app'],
    ...SCHEMA.flatMap((file) => ['-f', file]),
    ...['-c', `${users.join('')}${principals}`],
  ]);
}

/** Runs psql, which DAViCal's package brings. Rejects with what it said. */
function load(url: string, parameters: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('psql', ['-qAtX', '-v', 'ON_ERROR_STOP=1', ...parameters, url], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said = (said + chunk).slice(-5000);
    });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`psql failed:\n${said}`))));
  });
}

function configuration(url: string): string {
  const { hostname, port, username, password, pathname } = new URL(url);
  const dsn = `host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`;
  return `<?php
$_SERVER['SERVER_NAME'] = '127.0.0.1';
$c->pg_connect[] = '${dsn}';
$c->domain_name = '127.0.0.1';
$c->admin_email = 'calendars@${DOMAIN}';
$c->home_calendar_name = 'calendar';
`;
}

/** Its configuration is found by the server's name: here it is given a path to our own. */
const router = (folder: string): string => `<?php
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$_SERVER['SERVER_NAME'] = '../..${folder}/davical';
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/caldav.php';
$_SERVER['PATH_INFO'] = rawurldecode(preg_replace('{^/caldav\\\\.php}', '', $path));
chdir('/usr/share/davical/htdocs');
set_include_path('/usr/share/awl/inc' . PATH_SEPARATOR . get_include_path());
require '/usr/share/davical/htdocs/caldav.php';
`;
