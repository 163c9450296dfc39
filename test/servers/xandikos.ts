/**
 * Debian's Xandikos. It has no users of its own: each user gets a process, behind a front that checks
 * the password and passes requests on to the process of the user who signed in.
 */
import http from 'node:http';

import { close, freePort, listen } from '../harness/loopback.ts';
import {
  answering,
  basic,
  type ManagedCalDavServer,
  type Running,
  removeFolder,
  run,
  temporaryFolder,
  USERS,
  withCalendars,
} from './process.ts';

export const XANDIKOS = '/usr/bin/xandikos';

type Instance = { readonly user: string; readonly port: number; readonly server: Running };

export async function startXandikos(calendars: readonly string[] = ['work']): Promise<ManagedCalDavServer> {
  const folder = temporaryFolder('xandikos');
  const instances = new Map<string, Instance>();
  const front = http.createServer((request, response) => pass(instances, request, response));
  const setPassword = async (user: string, password: string) => {
    for (const [authorization, instance] of [...instances]) {
      if (instance.user !== user) continue;
      instances.delete(authorization);
      instances.set(basic(user, password), instance);
    }
  };
  const stop = async () => {
    await close(front);
    await Promise.all([...instances.values()].map(({ server }) => server.stop()));
    removeFolder(folder);
  };

  const startAll = async () => {
    for (const user of Object.keys(USERS))
      instances.set(basic(user), await startFor(user, `${folder}/${user}`));
  };
  const origin = await listen(front);
  const calendarUrl = (user: string, calendar: string) => `${origin}/${user}/calendars/${calendar}/`;
  const xandikos = { name: 'Xandikos', origin, typed: origin, calendarUrl, setPassword, stop };
  const output = () => [...instances.values()].map(({ server }) => server.output()).join('');
  return withCalendars(xandikos, calendars, { ready: startAll(), output });
}

async function startFor(user: string, directory: string): Promise<Instance> {
  const port = await freePort();
  const server = run('xandikos', [
    ...['--directory', directory, '--current-user-principal', `/${user}/`, '--defaults'],
    ...['--listen-address', '127.0.0.1', '--port', String(port)],
  ]);
  await answering(`http://127.0.0.1:${port}/`, server);
  return { user, port, server };
}

function pass(
  instances: ReadonlyMap<string, Instance>,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): void {
  const instance = instances.get(request.headers.authorization ?? '');
  if (instance === undefined) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="Xandikos"' }).end();
    return;
  }
  const { method = 'GET', url = '/', headers } = request;
  const upstream = http.request(
    { host: '127.0.0.1', port: instance.port, method, path: url, headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  upstream.on('error', () => response.destroy());
  request.pipe(upstream);
}
