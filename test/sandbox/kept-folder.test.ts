/** The folder of `--keep`: what it refuses, and that providers know from it all that they knew. */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import { openKeptFolder, type SandboxState } from '../../sandbox/kept-folder.ts';
import { ACCOUNTS, addAllAccounts } from '../../sandbox/people/people.ts';
import { choosePorts, type Ports } from '../../sandbox/ports.ts';
import { type Providers, startProviders } from '../../sandbox/providers.ts';
import { freePort } from '../harness/loopback.ts';

const DAY = 86_400_000;

describe('the kept folder', () => {
  let folder: string;
  let stops: (() => Promise<unknown>)[];
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-kept-'));
    stops = [];
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(ports: Ports, state?: SandboxState): Promise<Providers> {
    const deps = {
      clock: sandboxClock(),
      faults: faultBoard(),
      ports,
      kalendsUrl: 'http://127.0.0.1:9',
      state,
    };
    return startProviders(deps, (stop) => stops.push(stop));
  }

  it('the kept folder brings every account of all four providers back with its events and its password', async () => {
    const ports = await freePorts();
    const before = await start(ports);
    const now = Date.now();
    const events = await addAllAccounts(Object.values(before), now);
    const shown = await shownBy(before, events, now);
    const first = openKeptFolder(folder);
    first.save({ ...{ ports, ahead: DAY, events, sessions: new Map() }, ...statesOf(before) });
    first.close();
    for (const stop of stops.splice(0)) await stop();

    const second = openKeptFolder(folder);
    stops.push(async () => second.close());
    const after = await start(ports, second.state);

    assert.equal(second.state?.ahead, DAY);
    assert.deepEqual(second.state?.ports, ports);
    assert.deepEqual(await shownBy(after, events, now), shown);
    const mara = 'mara@icloud.example';
    assert.equal(after.icloud.passwordOf(mara), before.icloud.passwordOf(mara));
  });

  it('the kept folder is for one sandbox at a time', () => {
    const first = openKeptFolder(folder);

    assert.throws(() => openKeptFolder(folder), /Another sandbox is running in /);
    first.close();
    openKeptFolder(folder).close();
  });

  it('only its owner can read the kept folder’s database, even if others can read the folder', async () => {
    await chmod(folder, 0o755);

    openKeptFolder(folder).close();

    assert.equal((await stat(path.join(folder, 'sandbox.db'))).mode & 0o777, 0o600);
  });

  it('the kept folder must not hold anything else, a server’s data least of all', async () => {
    await writeFile(path.join(folder, 'kalends.db'), '');
    assert.throws(
      () => openKeptFolder(folder),
      /the data of a Kalends server, which a sandbox must not touch/,
    );
    await rm(path.join(folder, 'kalends.db'));
    await writeFile(path.join(folder, 'notes.txt'), '');
    assert.throws(
      () => openKeptFolder(folder),
      /something that is no sandbox’s: name an empty or a new folder/,
    );

    assert.deepEqual(await readdir(folder), ['notes.txt']);
  });

  it('a port that a sandbox must have is refused while another program has it', async () => {
    const ports = await freePorts();
    await start(ports);
    const port = ports.google;

    await assert.rejects(
      choosePorts({ usual: false, wanted: { kalends: port } }),
      new RegExp(`Port ${port}, which Kalends should have, is taken by another program`),
    );
  });
});

async function freePorts(): Promise<Ports> {
  const names = [
    'kalends',
    'demo',
    'control',
    'google',
    'microsoft',
    'icloud',
    'icloudHome',
    'caldav',
  ] as const;
  const free = await Promise.all(names.map(() => freePort()));
  const pairs = names.map((name, i) => [name, free[i] ?? 0]);
  // One for each name.
  return Object.fromEntries(pairs) as Ports;
}

const statesOf = ({ google, microsoft, icloud, caldav }: Providers) => ({
  google: google.state(),
  microsoft: microsoft.state(),
  icloud: icloud.state(),
  caldav: caldav.state(),
});

/** Returns what each provider's app shows of its first person's first calendar, over four weeks. */
async function shownBy(providers: Providers, events: SandboxState['events'], now: number) {
  const window = { start: now - 14 * DAY, end: now + 14 * DAY };
  const shown = Object.values(providers).map(({ kind, manual }) => {
    const email = ACCOUNTS[kind][0]?.person.email ?? '';
    const calendarId = events[kind].find((event) => event.email === email)?.calendarId ?? '';
    return manual.instances(email, calendarId, window);
  });
  const all = await Promise.all(shown);
  assert.ok(all.every((instances) => instances.length > 0));
  return all;
}
