/** Ids of instances on the wire: the master's id and the original start, so that either finds the other. */
import { dayOfLocal, formatDate, formatLocal, parseLocal } from './civil.ts';
import { instantOf } from './event-instant.ts';
import type { EventTime } from './event-time.ts';

/** `zone` is where a floating original start is read. */
export function instanceIdOf(masterId: string, originalStart: EventTime, zone: string): string {
  const instant = instantOf(originalStart, zone);
  const text = originalStart.type === 'date' ? formatDate(dayOfLocal(instant)) : `${formatLocal(instant)}Z`;
  return `${masterId}_${text.replace(/[-:]/g, '')}`;
}

export type InstanceId = {
  readonly masterId: string;
  /** In UTC, or a date. */
  readonly originalStart: EventTime;
};

/**
 * What an instance id names; `undefined` when the text is none. A master's own id may look like one, so look for
 * an event of that very id first.
 */
export function parseInstanceId(id: string): InstanceId | undefined {
  const parts = /^(.+)_(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/su.exec(id);
  if (parts === null) return undefined;
  const [, masterId = '', year, month, day, hour, minute, second] = parts;
  const date = `${year}-${month}-${day}`;
  const local = `${date}T${hour}:${minute}:${second}`;
  if (parseLocal(hour === undefined ? date : local) === undefined) return undefined;
  if (hour === undefined) return { masterId, originalStart: { type: 'date', date } };
  return { masterId, originalStart: { type: 'zoned', local, zone: 'UTC' } };
}
