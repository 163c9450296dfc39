/** A Graph on loopback with one calendar, `cal`, whose events a test chooses. Its delta names no changes. */
import http from 'node:http';

import { close, listen, originOf } from '../harness/loopback.ts';

/** A single event of one hour on `date`; without one it has no time. Its version is its time. */
export const graphEvent = (id: string, date: string | undefined = undefined) => ({
  ...{ id, changeKey: date ?? 'none', type: 'singleInstance', subject: id },
  start: date === undefined ? null : { dateTime: `${date}T09:00:00.0000000`, timeZone: 'UTC' },
  end: date === undefined ? null : { dateTime: `${date}T10:00:00.0000000`, timeZone: 'UTC' },
});

export class OddGraph {
  events: readonly ({ readonly id: string } & Readonly<Record<string, unknown>>)[] = [];
  readonly #server = http.createServer(({ url = '' }, response) => {
    const body = this.#answer(new URL(url, this.origin));
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { error: { code: 'ErrorItemNotFound', message: 'None' } }));
  });

  start(): Promise<string> {
    return listen(this.#server);
  }

  stop(): Promise<void> {
    return close(this.#server);
  }

  get origin(): string {
    return originOf(this.#server);
  }

  get apiUrl(): string {
    return `${this.origin}/v1.0`;
  }

  #answer({ pathname }: URL): unknown {
    const path = pathname.slice('/v1.0/me'.length);
    if (path === '/calendars') return { value: [{ id: 'cal', name: 'Work', canEdit: true }] };
    const link = `${this.apiUrl}/me/calendars/cal/calendarView/delta?$deltatoken=next`;
    if (path.endsWith('/delta')) return { value: [], '@odata.deltaLink': link };
    if (path === '/calendars/cal/events') return { value: this.events };
    return this.events.find(({ id }) => path === `/calendars/cal/events/${id}`);
  }
}
