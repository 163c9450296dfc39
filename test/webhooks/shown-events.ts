/** Events of every kind at one provider of the sandbox, and what deliveries showed of them at one scope. */
import assert from 'node:assert/strict';

import type { EventDraft, ManualChanges } from '../../sandbox/core/provider-sandbox.ts';
import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import type { Scope } from '../../src/oauth/scope.ts';
import { link } from '../harness/calendar-server.ts';
import { APP, movableTime, startSandbox } from '../providers/sandbox-provider.ts';
import { type DeliveryServer, openDeliveryServer } from './delivery-server.ts';
import type { Received } from './receiver.ts';

const ADA = { email: 'ada@example.com', name: 'Ada Lovelace' };
const ZONE = 'Europe/Paris';

/** Stands in every text of the events that scope `free-busy` sees nothing of. */
export const CANARY = 'canary';

/** The scope at a delivery. `narrowedTo` is the scope at the retry, after an attempt that failed. */
export type ShownAt = { readonly name: string; readonly scope: Scope; readonly narrowedTo?: Scope };

/** By its day in November 2027, which no other kind has. */
export type EventKind = {
  readonly day: number;
  /** By the application itself, as the wire has it; else by a person in the provider's own app. */
  readonly posted?: Readonly<Record<string, unknown>>;
  readonly draft?: Partial<EventDraft>;
  /** The last change, made by a person. */
  readonly later?: 'changeOccurrence' | 'delete';
};

export type Told = {
  readonly calendarId: string;
  /** The last delivered event of each kind, by its day. */
  readonly events: ReadonlyMap<number, Readonly<Record<string, unknown>>>;
  readonly received: readonly Received[];
  /** The ids of events at the provider and for readers. */
  readonly ids: readonly string[];
};

/** Makes one of each, and changes it, in the calendar of one account; deliveries show what `shownAt` says. */
export async function tellOfAll(
  provider: ProviderKind,
  kinds: readonly EventKind[],
  shownAt: ShownAt,
): Promise<Told> {
  const clock = movableTime(Date.UTC(2027, 9, 31, 12));
  const started = await startSandbox(provider, clock);
  const server = { [provider]: started.provider, apps: { google: APP, microsoft: APP }, clock };
  const telling = await openDeliveryServer({ server });
  try {
    const { manual } = started;
    await manual.addPerson(ADA);
    const calendarId = await manual.addCalendar(ADA.email, { title: `Work ${CANARY}`, timeZone: ZONE });
    await link(telling.server, { provider, ...(await started.signIn(ADA.email, { scope: 'read-write' })) });
    const token = await telling.server.token('read-write');
    await telling.server.db.write('UPDATE webhook_endpoint SET hears_own = 1 RETURNING endpoint_id');
    await telling.sync();
    await telling.deliver();
    telling.receiver.received.length = 0;

    const at = { telling, manual, provider, calendarId, token };
    const ids: string[] = [];
    const byDay = new Map<number, string>();
    for (const kind of kinds) {
      const id = kind.posted === undefined ? await draft(kind, at) : await post(kind, at);
      byDay.set(kind.day, id);
      ids.push(id);
    }
    await tell(telling, shownAt);
    for (const kind of kinds) await changeLater(kind, byDay.get(kind.day) ?? '', at);
    await tell(telling, shownAt);
    const received = [...telling.receiver.received];
    return { calendarId, events: byDayOf(received), received: received.filter(isOf(calendarId)), ids };
  } finally {
    await telling.close();
    await started.close();
  }
}

type At = {
  readonly telling: DeliveryServer;
  readonly manual: ManualChanges;
  readonly provider: ProviderKind;
  readonly calendarId: string;
  readonly token: string;
};

export const dayText = (day: number): string => `2027-11-${String(day).padStart(2, '0')}`;
const timeOf = (day: number, hour: number) => ({ dateTime: `${dayText(day)}T${hour}:00:00`, timeZone: ZONE });

/** From ten to eleven in Paris, in a person's own app. */
const draft = ({ day, draft: change }: EventKind, { manual, calendarId }: At): Promise<string> =>
  manual.createEvent(ADA.email, calendarId, {
    title: `Title ${CANARY}`,
    description: `Description ${CANARY}`,
    location: `Location ${CANARY}`,
    start: timeOf(day, 10),
    end: timeOf(day, 11),
    ...change,
  });

/** The same by the application. */
async function post(
  { day, posted }: EventKind,
  { telling, provider, calendarId, token }: At,
): Promise<string> {
  const answer = await telling.server.app.inject({
    method: 'POST',
    url: '/event',
    headers: { authorization: `Bearer ${token}` },
    payload: {
      provider,
      calendarId,
      title: `Title ${CANARY}`,
      start: `${dayText(day)}T09:00:00Z`,
      end: `${dayText(day)}T10:00:00Z`,
      ...posted,
    },
  });
  assert.equal(answer.statusCode, 200, answer.body);
  return String(answer.json().id);
}

async function changeLater({ day, later }: EventKind, id: string, { manual, calendarId }: At): Promise<void> {
  if (later === 'delete') await manual.deleteEvent(ADA.email, calendarId, id);
  if (later !== 'changeOccurrence') return;
  // The second instance, a week later.
  const original = timeOf(day + 7, 10);
  const moved = { title: `Override ${CANARY}`, start: timeOf(day + 7, 15), end: timeOf(day + 7, 16) };
  await manual.changeOccurrence(ADA.email, calendarId, { id, original, ...moved });
}

/** Syncs, and delivers the changes with the scopes of `shownAt`. */
async function tell(
  { server, receiver, sync, deliver }: DeliveryServer,
  { scope, narrowedTo }: ShownAt,
): Promise<void> {
  const setScope = (to: Scope) =>
    server.db.write('UPDATE token_family SET scope = :to RETURNING family_id', { to });
  await sync();
  await setScope(scope);
  if (narrowedTo !== undefined) {
    receiver.answer = () => ({ status: 500 });
    const before = receiver.received.length;
    await deliver();
    assert.ok(receiver.received.length > before, 'the first attempt');
    receiver.received.length = before;
    await setScope(narrowedTo);
    receiver.answer = () => ({ status: 204 });
    server.clock.now += 60_000;
  }
  await deliver();
  await setScope('read-write');
}

const isOf =
  (calendarId: string) =>
  ({ body }: Received): boolean =>
    body.calendarId === calendarId;

/** All-day events begin at midnight UTC of their day. */
const byDayOf = (received: readonly Received[]) =>
  new Map(
    received
      .flatMap(({ body }) => body.events)
      .map((event) => [new Date(String(event.start)).getUTCDate(), event] as const),
  );
