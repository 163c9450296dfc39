/** A running program, a good user on a good server, a hostile server, and the meter. */
import { tmpdir } from 'node:os';
import path from 'node:path';

import { openBrowser } from '../e2e/browser.ts';
import {
  type Application,
  allow,
  authorizeUrl,
  type CalendarLogin,
  connect,
  exchange,
  linkFeed,
  read,
  tokensOf,
} from '../e2e/flow.ts';
import { type Program, startProgram } from '../harness/program.ts';
import { type ChildServer, startChild } from '../servers/child-server.ts';
import { EVIL_PASSWORD, type EvilServer, startEvilServer } from '../servers/evil-caldav.ts';
import { type FeedName, pathOfFeed } from '../servers/evil-feeds.ts';
import type { ShapeName } from '../servers/evil-shapes.ts';
import { basic, USERS } from '../servers/process.ts';
import { type Meter, startMeter } from './meter.ts';

export type Arena = {
  readonly program: Program;
  readonly databaseUrl: string | undefined;
  readonly application: Application;
  readonly evil: EvilServer;
  readonly goodLogin: CalendarLogin;
  readonly goodEvents: number;
  /** The users of linkEvil and linkEvilFeed, in order. */
  readonly evilUsers: string[];
  readonly meter: Meter;
  /** Starts the program again after it was killed or stopped. */
  restart(): Promise<void>;
  close(): Promise<void>;
};

export type ArenaOptions = {
  readonly databaseUrl?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
};

const PROBE = path.join(import.meta.dirname, 'stall-probe.js');
let arenas = 0;

/** Starts everything and waits for the good user's first sync. */
export async function openArena({ databaseUrl, env = {} }: ArenaOptions = {}): Promise<Arena> {
  arenas += 1;
  const socket = path.join(tmpdir(), `kalends-probe-${process.pid}-${arenas}`);
  const evil = await startEvilServer();
  const good = await startChild<{ origin: string; events: number }>('hostile/good-process.ts');
  const program = await startProgram({
    databaseUrl,
    // The memory settings of `npm start`.
    env: {
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '131072',
      NODE_OPTIONS: `--max-semi-space-size=4 --import=${PROBE}`,
      HOSTILE_PROBE: socket,
      ...env,
    },
  });
  const application = { ...(await program.createClient()), url: program.url };
  const goodLogin = { server: good.ready.origin, username: 'ada', password: USERS.ada ?? '' };
  const { accessToken } = await connect(application, { userId: 'good', login: goodLogin });
  await (await read(application, '/events', accessToken)).text();
  // An orderly end keeps compiled code, so the type stripper, which is not published, is not loaded after that.
  await program.stop();
  await program.start();
  const goodEvents = good.ready.events;
  const meterOptions = {
    url: program.url,
    dataDir: program.dataDir,
    socket,
    accessToken,
    events: goodEvents,
  };
  let meter = await startMeter(meterOptions);
  return {
    program,
    databaseUrl,
    application,
    evil,
    goodLogin,
    goodEvents,
    evilUsers: [],
    get meter() {
      return meter;
    },
    async restart() {
      await meter.stop();
      await program.start();
      meter = await startMeter(meterOptions);
    },
    close: () => closeAll(meter, program, [evil, good]),
  };
}

async function closeAll(
  meter: Meter,
  program: Program,
  servers: readonly Pick<ChildServer<unknown>, 'stop'>[],
): Promise<void> {
  await meter.stop();
  await program.dispose();
  for (const server of servers) await server.stop();
}

/** Returns the login of a shape, at the server's host of this number. */
export const evilLogin = (
  evil: EvilServer,
  shape: ShapeName | `${ShapeName}~${string}`,
  host = 0,
): CalendarLogin => ({
  server: evil.origins[host] ?? '',
  username: shape,
  password: EVIL_PASSWORD,
});

/** Links the shape for a new user, adds the user to `evilUsers`, and returns an access token. */
export async function linkEvil(arena: Arena, shape: ShapeName, host = 0): Promise<string> {
  linked += 1;
  const userId = `evil ${linked}: ${shape}`;
  arena.evilUsers.push(userId);
  const login = evilLogin(arena.evil, shape, host);
  const { accessToken } = await connect(arena.application, { userId, login });
  return accessToken;
}

/** Links a calendar by its address for a new user, like linkEvil. */
export async function linkEvilFeed({ application, evil, evilUsers }: Arena, name: FeedName): Promise<string> {
  linked += 1;
  const userId = `evil ${linked}: ${name}`;
  evilUsers.push(userId);
  const browser = openBrowser();
  await browser.open(authorizeUrl(application, { userId, parameters: { scope: 'read' } }));
  await linkFeed(browser, `${evil.origins[0]}${pathOfFeed(name)}`);
  await allow(browser);
  return (await tokensOf(await exchange(application, userId))).accessToken;
}

let linked = 0;

/** Deletes a user with all data. */
export async function forgetEvil({ application }: Arena, userId: string): Promise<Response> {
  const { clientId, clientSecret, url } = application;
  return fetch(`${url}/users/${encodeURIComponent(userId)}`, {
    method: 'DELETE',
    headers: { authorization: basic(clientId, clientSecret) },
  });
}

/** Returns the status, the size and the beginning of a response. */
export async function outcome(
  answer: Promise<Response>,
): Promise<{ status: number; bytes: number; text: string }> {
  const response = await answer;
  let bytes = 0;
  let text = '';
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    text = (text + Buffer.from(chunk).toString()).slice(0, 400);
  }
  return { status: response.status, bytes, text };
}
