/** Starts real servers for tests: on loopback, in a folder of their own, stopped with all they started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A CalDAV server with the users of `USERS`, each with its calendars at `calendarUrl`. */
export type CalDavServer = {
  readonly name: string;
  /** Without a trailing slash. */
  readonly origin: string;
  /** The address as a user would type it. */
  readonly typed: string;
  /** The collection's absolute URL, with its slash. */
  calendarUrl(user: string, calendar: string): string;
  stop(): Promise<void>;
};

/** A server that can change its users' passwords, as administrators do. */
export type ManagedCalDavServer = CalDavServer & {
  setPassword(user: string, password: string): Promise<void>;
};

export const USERS: Readonly<Record<string, string>> = {
  ada: 'correct horse: battery',
  grace: 'nanosecond-wire',
};

export const basic = (user: string, password = USERS[user] ?? ''): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

export function temporaryFolder(name: string): string {
  return mkdtempSync(path.join(tmpdir(), `kalends-${name}-`));
}

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

export type Running = {
  readonly output: () => string;
  /** SIGKILL, at once. */
  kill(): void;
  stop(): Promise<void>;
};

/** Runs a program in a process group of its own, so that its children end with it. */
export function run(
  command: string,
  parameters: readonly string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Running {
  const child = spawn(command, parameters, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-20_000);
    });
  child.on('error', (failure) => {
    output += failure.message;
  });
  return {
    output: () => output,
    kill() {
      if (child.pid !== undefined && child.exitCode === null) signalGroup(child.pid, 'SIGKILL');
    },
    stop: () => stopGroup(child),
  };
}

async function stopGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  signalGroup(pid, 'SIGTERM');
  const waited = await Promise.race([ended, sleep(3000, 'late', { ref: false })]);
  if (waited === 'late') signalGroup(pid, 'SIGKILL');
  await ended;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It ended by itself.
  }
}

/** Waits until the server answers HTTP at all. Fails with its output after a minute. */
export async function answering(url: string, server: Running): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    try {
      await fetch(url, { redirect: 'manual' });
      return;
    } catch {
      await sleep(100);
    }
  }
  throw new Error(`${url} does not answer. It said:\n${server.output()}`);
}

/** Sends one plain HTTP request as the user and fails unless it succeeds. */
export async function send(user: string, method: string, url: string, body?: string): Promise<Response> {
  const type = method === 'PUT' ? 'text/calendar; charset=utf-8' : 'application/xml; charset=utf-8';
  const response = await fetch(url, {
    method,
    headers: { authorization: basic(user), ...(body === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} was answered with ${response.status}: ${text}`);
  return response;
}

/**
 * Waits until the server is ready and makes these calendars for each of its users. Stops it when that fails, and throws
 * what it said.
 */
export async function withCalendars(
  server: ManagedCalDavServer,
  calendars: readonly string[],
  { ready, output }: { ready: Promise<unknown>; output: Running['output'] },
): Promise<ManagedCalDavServer> {
  try {
    await ready;
    for (const user of Object.keys(USERS))
      for (const calendar of calendars) await makeCalendar(user, server.calendarUrl(user, calendar));
    return server;
  } catch (failure) {
    await server.stop();
    throw new Error(`${server.name} could not be started. It said:\n${output()}`, { cause: failure });
  }
}

/** Makes a calendar collection (RFC 4791 §5.3.1) with further properties, as XML with the prefixes D and C. */
export async function makeCalendar(
  user: string,
  url: string,
  properties = '',
  ...components: readonly string[]
): Promise<void> {
  const names = components.length === 0 ? ['VEVENT'] : components;
  const set = names.map((name) => `<C:comp name="${name}"/>`).join('');
  const prop = `<C:supported-calendar-component-set>${set}</C:supported-calendar-component-set>${properties}`;
  const root = '<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">';
  await send(
    user,
    'MKCALENDAR',
    url,
    `<?xml version="1.0" encoding="utf-8"?>${root}<D:set><D:prop>${prop}</D:prop></D:set></C:mkcalendar>`,
  );
}

/** Waits until the server answers at `url`. When it stops, or if it never answers, its folder is removed. */
export async function answeringFrom(folder: string, url: string, server: Running): Promise<Running> {
  const stop = async () => {
    await server.stop();
    removeFolder(folder);
  };
  try {
    await answering(url, server);
    return { ...server, stop };
  } catch (reason) {
    await stop();
    throw reason;
  }
}
