/**
 * The process of the evil CalDAV server (test/servers/evil-caldav.ts): one user for each shape, whose password is
 * `evil`. Tells its parent the origins, and when asked how many requests each user was sent.
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { originOf } from '../harness/loopback.ts';
import { EVIL_PASSWORD } from './evil-caldav.ts';
import { feedAt } from './evil-feeds.ts';
import { placeOf, type Shape, shapeOf } from './evil-shapes.ts';
import { escapeText, gone, multistatus, present, principalNamed } from './odd-caldav.ts';

const ADDRESSES = 8;
const SECOND_MS = 1000;

const requests: Record<string, number> = {};
/** The objects of the last user, who is likely to request them again. */
let made: { user: string; objects: readonly string[] } = { user: '', objects: [] };
let looks = 0;

function objectOf(user: string, shape: Shape, index: number): string | undefined {
  if (shape.objectAt !== undefined) return index < (shape.count ?? 0) ? shape.objectAt(index) : undefined;
  if (made.user !== user) made = { user, objects: shape.objects?.() ?? [] };
  return made.objects[index];
}

function countOf(user: string, shape: Shape): number {
  if (shape.count !== undefined) return shape.count;
  objectOf(user, shape, 0);
  return made.objects.length;
}

const etagOf = ({ restless }: Shape): string => (restless === true ? String(looks) : '1');

function member(href: string, shape: Shape, data = ''): string {
  return present(href, `<d:getetag>"${etagOf(shape)}"</d:getetag>${data}`);
}

/** Every object of the calendar at the path. */
function listingOf(user: string, shape: Shape, path: string): string {
  looks += 1;
  if (shape.listing !== undefined) return shape.listing(path);
  const indexes = Array.from({ length: countOf(user, shape) }, (_, index) => index);
  return indexes.map((index) => member(`${path}${index}.ics`, shape)).join('');
}

function asked(user: string, shape: Shape, body: string): string {
  const hrefs = [...body.matchAll(/<d:href>([^<]*)<\/d:href>/g)].map(([, href = '']) => href);
  return hrefs
    .map((href) => {
      const text = objectOf(user, shape, Number(/(\d+)\.ics$/.exec(href)?.[1] ?? -1));
      if (text === undefined) return gone(href);
      return member(href, shape, `<c:calendar-data>${escapeText(text)}</c:calendar-data>`);
    })
    .join('');
}

const calendarNamed = (path: string, title: string): string =>
  present(
    path,
    `<d:resourcetype><d:collection/><c:calendar/></d:resourcetype><d:displayname>${title}</d:displayname>`,
  );

type Asked = { readonly user: string; readonly shape: Shape; readonly path: string; readonly body: string };

/** The content of the multistatus, or the status in its place. */
function contentOf(method: string | undefined, { user, shape, path, body }: Asked): string | number {
  const principal = `/u/${placeOf(user)}/`;
  const home = `${principal}h/`;
  if (method === 'PROPFIND' && path === home) {
    const indexes = Array.from({ length: shape.calendars ?? 1 }, (_, index) => index);
    return indexes.map((index) => calendarNamed(`${home}c${index}/`, `Evil ${index}`)).join('');
  }
  if (method === 'PROPFIND' && path.startsWith(home)) return calendarNamed(path, 'Evil');
  if (method === 'PROPFIND') {
    const homes = Array.from({ length: shape.homes ?? 1 }, (_, index) =>
      index === 0 ? home : `${principal}h${index}/`,
    );
    const set = homes.map((href) => `<d:href>${href}</d:href>`).join('');
    return present(path, `${principalNamed(principal)}<c:calendar-home-set>${set}</c:calendar-home-set>`);
  }
  if (method !== 'REPORT') return 403;
  if (body.includes('sync-collection')) return 403;
  return body.includes('calendar-multiget') ? asked(user, shape, body) : listingOf(user, shape, path);
}

async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request) body += chunk;
  const feed = request.method === 'GET' ? feedAt(request.url ?? '/') : undefined;
  if (feed !== undefined) {
    response.writeHead(200, { 'content-type': 'text/calendar' }).end(feed);
    return;
  }
  const [user = '', password] = userOf(request.headers.authorization);
  requests[user] = (requests[user] ?? 0) + 1;
  const shape = shapeOf(user);
  if (shape === undefined || password !== EVIL_PASSWORD) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="evil"' }).end();
    return;
  }
  const path = request.url ?? '/';
  const content = contentOf(request.method, { user, shape, path, body });
  if (typeof content === 'number') {
    response.writeHead(content).end();
    return;
  }
  const { status, headers, body: text = '' } = multistatus(content);
  const isOfCalendar = path.includes('/h/c');
  if (isOfCalendar && shape.blanks !== undefined) {
    const packed = gzipSync(text + ' '.repeat(shape.blanks));
    response.writeHead(status, { ...headers, 'content-encoding': 'gzip' }).end(packed);
    return;
  }
  response.writeHead(status, headers);
  for (let second = 0; isOfCalendar && second < (shape.dripSeconds ?? 0) && !response.destroyed; second++) {
    response.write(' ');
    await sleep(SECOND_MS);
  }
  response.end(text);
}

function userOf(authorization = ''): [string, string] {
  const text = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
  const colon = text.indexOf(':');
  return [text.slice(0, colon), text.slice(colon + 1)];
}

const servers = Array.from({ length: ADDRESSES }, () =>
  http.createServer((request, response) => {
    // A client that goes away in the middle is the usual end here.
    answer(request, response).catch((reason) => {
      if (!response.destroyed) console.error('The evil server failed', reason);
      response.destroy();
    });
  }),
);
await Promise.all(
  servers.map(
    (server, index) => new Promise<void>((resolve) => server.listen(0, `127.0.0.${index + 1}`, resolve)),
  ),
);
const origins = servers.map((server, index) => originOf(server).replace('127.0.0.1', `127.0.0.${index + 1}`));
process.on('message', () => process.send?.({ requests }));
process.on('disconnect', () => process.exit());
process.send?.({ origins });
