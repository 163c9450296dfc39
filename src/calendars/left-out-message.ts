/** What is said of events that were left out of a calendar: words only, so that the store can keep them. */
import type { LeftOutEvents } from './mirrored-event.ts';

/** `first` is one of `count` resources of the calendar that are left out; `reason` says why. */
export function leftOutEvents(
  first: { readonly href: string; readonly reason: string },
  { title, count }: { readonly title: string; readonly count: number },
): LeftOutEvents {
  const name = nameOf(first.href);
  const others = count === 1 ? '' : ` and ${count - 1 === 1 ? '1 other' : `${count - 1} others`}`;
  const verb = count === 1 ? 'is' : 'are';
  const why = count === 1 ? first.reason : `of “${name}”, ${first.reason}`;
  const message = `The event “${name}”${others} of the calendar “${shortened(title)}” ${verb} left out: ${why}`;
  return { count, name, message };
}

const LONGEST = 100;
const shortened = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text;

/** The last part of an address, as people know it. */
function nameOf(href: string): string {
  const last = href.split('/').findLast((part) => part !== '') ?? href;
  try {
    return shortened(decodeURIComponent(last));
  } catch {
    return shortened(last);
  }
}
