/** Finds where a meeting is joined: an address in its properties, or else in its texts. */
import type { VEvent } from '../../../lib/icalendar/v-event.ts';
import { contentLine } from '../../../lib/icalendar/write-lines.ts';

/** Addresses of meetings only, not of a service's other pages. */
const JOIN_URLS: readonly RegExp[] = [
  /https:\/\/meet\.google\.com\/[a-z]{3,4}-[a-z]{3,4}-[a-z]{3,4}\b[^\s<>"'\])]*/iy,
  /https:\/\/teams\.(?:microsoft|live)\.(?:com|us)\/(?:l\/meetup-join|meet)\/[^\s<>"'\])]+/iy,
  /https:\/\/(?:[\w-]{1,60}\.){0,3}zoom(?:gov)?\.(?:us|com)\/(?:j|my|s|w|wc|meeting)\/[^\s<>"'\])]+/iy,
  /https:\/\/(?:[\w-]{1,60}\.){1,3}webex\.com\/(?:meet|join|[\w-]+\/j\.php|wbxmjs|webappng)[^\s<>"'\])]*/iy,
];

/** Longer texts are not searched to their end: the address is near the start of an invitation. */
const LONGEST_SEARCH = 50_000;
const MOST_ADDRESSES = 50;

/** Returns the URL where the meeting can be joined, if one is known. */
export function findConference(event: VEvent): string | undefined {
  const { conference, conferenceAsGiven, location, url, description } = event;
  if (conference !== undefined) {
    // The value is spelled by `uriText`. The original address is beside it, or in URL.
    const given = [conferenceAsGiven, url].find((uri) => uri !== undefined && uriText(uri) === conference);
    return given ?? conference;
  }
  for (const text of [location, url, description]) {
    const match = text === undefined ? undefined : joinUrlIn(text.slice(0, LONGEST_SEARCH));
    if (match !== undefined) return withoutPunctuation(match);
  }
  return undefined;
}

/** Prefers the order of JOIN_URLS to the order in the text. */
function joinUrlIn(text: string): string | undefined {
  const places: number[] = [];
  for (const { index } of text.matchAll(/https:\/\//gi)) {
    places.push(index);
    if (places.length === MOST_ADDRESSES) break;
  }
  for (const pattern of JOIN_URLS) {
    for (const place of places) {
      pattern.lastIndex = place;
      const match = pattern.exec(text)?.[0];
      if (match !== undefined) return match;
    }
  }
  return undefined;
}

/** Removes punctuation at the end. A regular expression takes quadratic time for this. */
function withoutPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && '.,;:!?'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Returns the CONFERENCE of a video meeting, with the original address beside it if its spelling differs. */
export function conferenceLine(uri: string): string {
  const [given, written] = [uri.trim(), uriText(uri)];
  const asGiven = given === written ? undefined : given;
  return contentLine('CONFERENCE', { VALUE: 'URI', FEATURE: 'VIDEO', 'X-KALENDS-URI': asGiven }, written);
}

/**
 * Returns a URI as CONFERENCE needs it. RFC 5545 §3.3.13 allows commas and semicolons, but servers that do not know the
 * property read a list: vobject cuts it off at the first comma, python-icalendar escapes it.
 */
export const uriText = (uri: string): string =>
  uri
    .trim()
    .replace(
      /[\s\\,;]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
