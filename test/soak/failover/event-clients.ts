/** Clients that create events, follow the cursor of their user, and receive deliveries. */
import { setTimeout as sleep } from 'node:timers/promises';

import { caldavSandbox } from '../../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../../sandbox/core/clock.ts';
import { faultBoard } from '../../../sandbox/core/faults.ts';
import { type Application, connect, jsonOf, refresh, type TokenPair, tokensOf } from '../../e2e/flow.ts';
import type { Program } from '../../harness/program.ts';
import { openReceiver } from '../../webhooks/receiver.ts';
import type { Change, Creation } from './changes-seen.ts';
import { eventually } from './eventually.ts';
import type { ClientDeps } from './token-clients.ts';

const PASSWORD = 'difference-engine';
const PATIENCE_MS = 30_000;
const PAUSE_MS = 300;
const WAIT_SECONDS = 3;
/** An access token ends after an hour. */
const TOKEN_MS = 20 * 60_000;

export type EventUsers = Awaited<ReturnType<typeof openEventUsers>>;

/** Connects `count` users with one calendar each, and registers a receiver of their deliveries. */
export async function openEventUsers(application: Application, program: Program, count: number) {
  const server = await caldavSandbox({ clock: sandboxClock(), faults: faultBoard(), kind: 'caldav' });
  const receiver = await openReceiver();
  const close = async () => {
    receiver.close();
    await server.close();
  };
  try {
    const topics = ['--own', '--hears', 'events'];
    await program.command('webhook', 'add', application.clientId, '--url', receiver.url, ...topics);
    const users: EventUser[] = [];
    for (let i = 0; i < count; i++) {
      const email = `user${i}`;
      await server.manual.addPerson({ email, name: email, password: PASSWORD });
      await server.manual.addCalendar(email, { title: 'Work', timeZone: 'Europe/Paris' });
      const login = { server: server.origin, username: email, password: PASSWORD };
      const terms = { userId: email, login, parameters: { scope: 'read-write' } };
      users.push(new EventUser(application, email, await connect(application, terms)));
    }
    const isSynced = ({ name }: EventUser) =>
      receiver.received.some(({ body }) => body.userId === name && body.metadata.isInitialSync === true);
    // Events before it are counted in its delivery and not listed.
    await eventually('the first syncs are delivered', () => users.every(isSynced));
    const delivered = () =>
      receiver.received.flatMap(({ body }) => body.events.map(({ title }) => String(title)));
    return { users, delivered, close };
  } catch (reason) {
    await close();
    throw reason;
  }
}

/** A user whose events one client creates and another one follows. */
export class EventUser {
  readonly created: Creation[] = [];
  readonly seen: Change[] = [];
  readonly name: string;
  readonly #application: Application;
  #pair: TokenPair;
  #pairSince = performance.now();
  #cursor: string | undefined;

  constructor(application: Application, name: string, pair: TokenPair) {
    this.#application = application;
    this.name = name;
    this.#pair = pair;
  }

  /** Creates events until `signal` aborts. */
  async create({ history, signal }: Pick<ClientDeps, 'history' | 'signal'>): Promise<void> {
    const calendarId = await this.#calendar();
    for (let i = 0; !signal.aborted; i++) {
      const title = `${this.name}, event ${i}`;
      const times = { start: '2027-01-04T09:00:00Z', end: '2027-01-04T10:00:00Z' };
      const event = { provider: 'caldav', calendarId, title, ...times };
      const request = {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': title },
        body: JSON.stringify(event),
      };
      const start = performance.now();
      const input = { title };
      const line = { client: `${this.name} writer`, object: this.name, operation: 'create', input };
      const send = async () => {
        const { status, body } = await this.#send('/event', request);
        const isStored = body.original !== undefined;
        return { status, isStored, ...(typeof body.id === 'string' ? { id: body.id } : {}) };
      };
      const output = await history.record(line, send);
      // If the outcome is unknown, the event may appear or not.
      if (output?.status === 200)
        this.created.push({ title, start, end: performance.now(), isStored: output.isStored });
      await sleep(PAUSE_MS);
    }
  }

  /** Follows the cursor until `isEnough`. A lost response is requested again with the same cursor. */
  async follow({ history }: Pick<ClientDeps, 'history'>, isEnough: () => boolean): Promise<void> {
    while (!isEnough()) {
      const cursor: Record<string, string> = this.#cursor === undefined ? {} : { cursor: this.#cursor };
      const query = new URLSearchParams({ ...cursor, wait: String(WAIT_SECONDS) });
      const input = { cursor: this.#cursor };
      const line = { client: `${this.name} follower`, object: this.name, operation: 'follow', input };
      const output = await history.record(line, async () => {
        const { status, body } = await this.#send(`/events/changes?${query}`);
        return { status, body };
      });
      if (output?.status !== 200) await sleep(PAUSE_MS);
      else this.#learn(output.body);
    }
  }

  #learn({ changes = [], cursor }: Record<string, unknown>): void {
    // docs/reading.md describes the response.
    for (const { changeType, event } of changes as { changeType: string; event: { title?: string } }[])
      this.seen.push({ changeType, title: event.title ?? '' });
    this.#cursor = String(cursor);
  }

  async #calendar(): Promise<string> {
    let calendarId: string | undefined;
    await eventually(`${this.name} has a calendar`, async () => {
      const { body } = await this.#send('/calendars');
      const calendars = Object.values(body).flat() as { id?: string; title?: string }[]; // objects
      calendarId = calendars.find(({ title }) => title === 'Work')?.id;
      return calendarId !== undefined;
    });
    return calendarId ?? '';
  }

  async #keepToken(): Promise<void> {
    if (performance.now() - this.#pairSince < TOKEN_MS) return;
    const answer = await refresh(this.#application, this.#pair.refreshToken).catch(() => undefined);
    if (answer?.status !== 200) return;
    this.#pair = await tokensOf(answer);
    this.#pairSince = performance.now();
  }

  async #send(path: string, request: { method?: string; headers?: object; body?: string } = {}) {
    await this.#keepToken();
    const headers = { ...request.headers, authorization: `Bearer ${this.#pair.accessToken}` };
    const answer = await fetch(`${this.#application.url}${path}`, {
      ...request,
      headers,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: answer.status, body: await jsonOf(answer) };
  }
}
