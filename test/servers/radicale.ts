/** Debian's Radicale with an htpasswd file. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { freePort } from '../harness/loopback.ts';
import {
  answering,
  type ManagedCalDavServer,
  removeFolder,
  run,
  temporaryFolder,
  USERS,
  withCalendars,
} from './process.ts';

export const RADICALE = '/usr/bin/radicale';

/** `calendars` are made for every user, each at `calendarUrl(user, name)`. */
export async function startRadicale(calendars: readonly string[] = ['work']): Promise<ManagedCalDavServer> {
  const folder = temporaryFolder('radicale');
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const passwords = new Map(Object.entries(USERS));
  const writeUsers = () => {
    const users = [...passwords].map(([user, password]) => `${user}:${password}\n`);
    writeFileSync(path.join(folder, 'users'), users.join(''));
  };
  writeUsers();
  writeFileSync(path.join(folder, 'config'), configuration(folder, port));
  const server = run('radicale', ['--config', path.join(folder, 'config')]);
  const calendarUrl = (user: string, calendar: string) => `${origin}/${user}/${calendar}/`;
  const setPassword = async (user: string, password: string) => {
    passwords.set(user, password);
    writeUsers();
  };
  const stop = async () => {
    await server.stop();
    removeFolder(folder);
  };

  const radicale = { name: 'Radicale', origin, typed: origin, calendarUrl, setPassword, stop };
  return withCalendars(radicale, calendars, { ready: answering(origin, server), output: server.output });
}

const configuration = (folder: string, port: number): string => `
[server]
hosts = 127.0.0.1:${port}
[auth]
type = htpasswd
htpasswd_filename = ${path.join(folder, 'users')}
htpasswd_encryption = plain
delay = 0
[storage]
filesystem_folder = ${path.join(folder, 'collections')}
[logging]
level = warning
`;
