/** Describes events that were left out of a calendar, in plain text that the store can keep. */
import type { LeftOutResource } from './event.ts';
import type { LeftOutEvents } from './mirrored-event.ts';

type Named = Pick<LeftOutResource, 'href' | 'reason' | 'eventId'>;

type Lacking = Pick<LeftOutResource, 'kind'> & { readonly title: string; readonly count: number };

/** Returns the message for `count` resources, of which up to ten are given. */
export function leftOutEvents(named: readonly Named[], { kind, title, count }: Lacking): LeftOutEvents {
  const eventIds = named.map(readableId);
  const name = shortened(eventIds[0] ?? '', LONGEST);
  const others = count === 1 ? '' : ` and ${count - 1 === 1 ? '1 other' : `${count - 1} others`}`;
  const verb = count === 1 ? 'is' : 'are';
  const reason = named[0]?.reason ?? '';
  const why = count === 1 ? reason : `of “${name}”, ${reason}`;
  const what = kind === 'too_complex' ? 'left out' : 'missing or incomplete';
  const calendar = shortened(title, LONGEST);
  const message = `The event “${name}”${others} of the calendar “${calendar}” ${verb} ${what}: ${why}`;
  return { count, name, message, eventIds };
}

const LONGEST = 100;
const LONGEST_ID = 500;
const shortened = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;

/** Returns the name that people know: the event id, or the last segment of the href. */
function readableId({ href, eventId }: Named): string {
  const last = eventId || (href.split('/').findLast((part) => part !== '') ?? href);
  try {
    return shortened(eventId ? last : decodeURIComponent(last), LONGEST_ID);
  } catch {
    return shortened(last, LONGEST_ID);
  }
}
