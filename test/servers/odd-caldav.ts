/**
 * A CalDAV server in this process that behaves, until told otherwise: `odd` sees each request first and
 * may answer in the way some real server does. One user, one calendar, in memory.
 */
import http from 'node:http';
import { close, listen, originOf } from '../harness/loopback.ts';
import { event } from './icalendar.ts';
import { basic } from './process.ts';

export type DavCall = {
  readonly method: string;
  /** PROPFIND, GET and others, or the root element of a REPORT. */
  readonly kind: string;
  readonly path: string;
  readonly depth: string | undefined;
  readonly body: string;
  readonly authorization: string | undefined;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
};
export type DavAnswer = {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

type Resource = { data: string | undefined; revision: number };

export const CALENDAR = '/dav/ada/work/';

export class OddCalDav {
  readonly calls: DavCall[] = [];
  /** By name within the calendar. A deleted one is kept without data, as a tombstone. */
  readonly resources = new Map<string, Resource>();
  revision = 1;
  odd: (call: DavCall) => DavAnswer | undefined = () => undefined;
  readonly #server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const [, root] = /<(?:\w+:)?([\w-]+) xmlns/.exec(body) ?? [];
      const kind = method === 'REPORT' ? (root ?? 'none') : method;
      const depth = typeof headers.depth === 'string' ? headers.depth : undefined;
      const conditions = { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] };
      const call = {
        method,
        kind,
        path: url,
        depth,
        body,
        authorization: headers.authorization,
        ...conditions,
      };
      this.calls.push(call);
      const answer = this.odd(call) ?? this.#answer(call);
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });

  async start(): Promise<void> {
    await listen(this.#server);
  }

  async stop(): Promise<void> {
    await close(this.#server);
  }

  get origin(): string {
    return originOf(this.#server);
  }

  put(name: string, data = event(name, name)): void {
    this.revision += 1;
    this.resources.set(name, { data, revision: this.revision });
  }

  remove(name: string): void {
    this.revision += 1;
    this.resources.set(name, { data: undefined, revision: this.revision });
  }

  /** The kind and depth of each call since the last time. */
  takeCalls(): string[] {
    return this.calls.splice(0).map(({ kind, depth }) => (depth === undefined ? kind : `${kind} ${depth}`));
  }

  #answer(call: DavCall): DavAnswer {
    if (call.authorization !== basic('ada'))
      return { status: 401, headers: { 'www-authenticate': 'Basic realm="odd"' } };
    if (call.kind === 'PROPFIND') return this.#propfind(call);
    if (call.kind === 'sync-collection') return multistatus(this.#changes(call.body));
    if (call.kind === 'calendar-query')
      return multistatus(
        this.#live()
          .map(([name]) => this.member(name))
          .join(''),
      );
    if (call.kind === 'calendar-multiget') return multistatus(this.#asked(call.body));
    const resource = this.resources.get(call.path.slice(CALENDAR.length));
    if (call.method === 'PUT' || call.method === 'DELETE') return this.#write(call, resource);
    if (call.method !== 'GET' || resource?.data === undefined) return { status: 404 };
    return { status: 200, body: resource.data, headers: { etag: `"${resource.revision}"` } };
  }

  #write({ method, path, body, ifMatch, ifNoneMatch }: DavCall, resource: Resource | undefined): DavAnswer {
    const name = path.slice(CALENDAR.length);
    const isThere = resource?.data !== undefined;
    if (ifNoneMatch === '*' && isThere) return { status: 412 };
    if (ifMatch !== undefined && (!isThere || ifMatch !== `"${resource.revision}"`)) return { status: 412 };
    if (method === 'DELETE') {
      this.remove(name);
      return { status: isThere ? 204 : 404 };
    }
    this.put(name, body);
    return { status: isThere ? 204 : 201, headers: { etag: `"${this.revision}"` } };
  }

  /** A response with etag and type, and with the data where wanted. */
  member(name: string, withData = false, href = CALENDAR + name): string {
    const resource = this.resources.get(name);
    if (resource?.data === undefined) return gone(href);
    const data = withData ? `<c:calendar-data>${escapeText(resource.data)}</c:calendar-data>` : '';
    return present(href, `<d:getetag>"${resource.revision}"</d:getetag>${TYPE}${data}`);
  }

  #live() {
    return [...this.resources].filter(([, { data }]) => data !== undefined);
  }

  #asked(body: string): string {
    const hrefs = [...body.matchAll(/<d:href>([^<]*)<\/d:href>/g)].map(([, href = '']) => href);
    return hrefs.map((href) => this.member(href.slice(CALENDAR.length), true, href)).join('');
  }

  #changes(body: string): string {
    const since = Number(/<d:sync-token>[^<]*?(\d*)<\/d:sync-token>/.exec(body)?.[1] ?? 0);
    const changed = [...this.resources].filter(
      ([, { data, revision }]) => revision > since && (since > 0 || data !== undefined),
    );
    return `${changed.map(([name]) => this.member(name)).join('')}<d:sync-token>urn:odd:${this.revision}</d:sync-token>`;
  }

  #propfind({ path, depth }: DavCall): DavAnswer {
    const calendar = present(
      CALENDAR,
      `<d:resourcetype><d:collection/><c:calendar/></d:resourcetype><d:displayname>Work</d:displayname>` +
        `<cs:getctag>ctag-${this.revision}</cs:getctag>`,
    );
    if (path === '/dav/ada/') return multistatus(calendar);
    if (path === '/principal/')
      return multistatus(
        present(
          path,
          `${principalNamed(path)}<c:calendar-home-set><d:href>/dav/ada/</d:href></c:calendar-home-set>`,
        ),
      );
    if (path === CALENDAR)
      return multistatus(
        calendar +
          (depth === '1'
            ? this.#live()
                .map(([name]) => this.member(name))
                .join('')
            : ''),
      );
    if (path === '/') return multistatus(present(path, principalNamed('/principal/')));
    return { status: 404 };
  }
}

const TYPE = '<d:getcontenttype>text/calendar; component=vevent</d:getcontenttype>';

export const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\r', '&#13;');

/** The property that says who the user is. */
export const principalNamed = (href: string): string =>
  `<d:current-user-principal><d:href>${escapeText(href)}</d:href></d:current-user-principal>`;

/** A response whose properties are there. */
export const present = (href: string, properties: string): string =>
  `<d:response><d:href>${escapeText(href)}</d:href><d:propstat><d:prop>${properties}</d:prop>` +
  '<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>';

/** A response about a resource as a whole. */
export const gone = (href: string, status = '404 Not Found'): string =>
  `<d:response><d:href>${escapeText(href)}</d:href><d:status>HTTP/1.1 ${status}</d:status></d:response>`;

export const multistatus = (content: string): DavAnswer => ({
  status: 207,
  headers: { 'content-type': 'application/xml; charset=utf-8' },
  body: `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:cs="http://calendarserver.org/ns/">${content}</d:multistatus>`,
});

/** An error that names a precondition (RFC 4918 §16). */
export const condition = (status: number, name: string): DavAnswer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0"?><d:error xmlns:d="DAV:"><d:${name}/></d:error>`,
});
