/** The state that a receiver knows from deliveries alone, and breaches of what docs/webhooks.md promises about them. */
import { createHash } from 'node:crypto';

import type { Received } from '../webhooks/receiver.ts';

/** Title and start of each event, by its id. */
export type Events = ReadonlyMap<string, string>;

/** The position of a reader after a delivery: its cursor, and the events of its calendar delivered up to there. */
export type Place = {
  readonly userId: string;
  readonly calendarId: string;
  readonly cursor: string;
  readonly told: Events;
};

export type ToldState = {
  /** Every request counts for the order; what it tells is applied where the receiver took it. */
  hear(received: Received, isTaken: boolean): void;
  /** Returns the events of every calendar. */
  events(): Events;
  /** Returns the stored places of the deliveries that were taken since the last call. */
  places(): Place[];
  /** Deliveries that came out of order, with other bytes, or twice under two ids. */
  readonly faults: string[];
  readonly messages: () => number;
};

type Stream = {
  sequence: number;
  id: string;
  digest: string;
  readonly events: Map<string, string>;
};

export const textOf = ({ title, start }: { readonly title?: unknown; readonly start?: unknown }): string =>
  `${title} ${start}`;

/** `keeps`: which deliveries leave a place, by their number. */
export function toldState(keeps: (message: number) => boolean = () => false): ToldState {
  const streams = new Map<string, Stream>();
  const faults: string[] = [];
  let places: Place[] = [];
  let messages = 0;

  const streamOf = ({ body }: Received): Stream => {
    const name = `${body.userId} ${body.calendarId}`;
    const known = streams.get(name) ?? { sequence: 0, id: '', digest: '', events: new Map() };
    streams.set(name, known);
    return known;
  };
  const order = (stream: Stream, { headers, raw, body }: Received): void => {
    const id = String(headers['webhook-id']);
    const sequence = Number(body.metadata.sequence);
    const digest = createHash('sha256').update(raw).digest('base64');
    const isAgain = id === stream.id;
    if (isAgain && digest !== stream.digest) faults.push(`${id} came with other bytes`);
    if (sequence !== stream.sequence + (isAgain ? 0 : 1))
      faults.push(`${body.userId} ${body.calendarId}: ${sequence} after ${stream.sequence}`);
    if (!isAgain) messages += 1;
    Object.assign(stream, { id, sequence, digest });
  };

  return {
    hear(received, isTaken) {
      const stream = streamOf(received);
      order(stream, received);
      if (!isTaken) return;
      for (const { id, changeType, ...event } of received.body.events) {
        if (changeType === 'deleted') stream.events.delete(String(id));
        else stream.events.set(String(id), textOf(event));
      }
      const { userId, calendarId, metadata } = received.body;
      const { cursor } = metadata;
      if (keeps(messages) && typeof cursor === 'string')
        places.push({ userId, calendarId, cursor, told: new Map(stream.events) });
    },
    events: () => new Map([...streams.values()].flatMap(({ events }) => [...events])),
    places() {
      const kept = places;
      places = [];
      return kept;
    },
    faults,
    messages: () => messages,
  };
}

/** Returns the first five differences. */
export function differences(told: Events, mirrored: Events): string[] {
  const ids = new Set([...told.keys(), ...mirrored.keys()]);
  return [...ids]
    .filter((id) => told.get(id) !== mirrored.get(id))
    .slice(0, 5)
    .map((id) => `${id}: told ${told.get(id)}, mirrored ${mirrored.get(id)}`);
}
