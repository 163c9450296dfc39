/** Where a meeting is joined: the address in its properties, or else one in its texts. */
import type { VEvent } from '../../../lib/icalendar/v-event.ts';
import { contentLine } from '../../../lib/icalendar/write-lines.ts';

/** Addresses of meetings only, not of a service's other pages. */
const JOIN_URLS: readonly RegExp[] = [
  /https:\/\/meet\.google\.com\/[a-z]{3,4}-[a-z]{3,4}-[a-z]{3,4}\b[^\s<>"'\])]*/iy,
  /https:\/\/teams\.(?:microsoft|live)\.(?:com|us)\/(?:l\/meetup-join|meet)\/[^\s<>"'\])]+/iy,
  /https:\/\/(?:[\w-]{1,60}\.){0,3}zoom(?:gov)?\.(?:us|com)\/(?:j|my|s|w|wc|meeting)\/[^\s<>"'\])]+/iy,
  /https:\/\/(?:[\w-]{1,60}\.){1,3}webex\.com\/(?:meet|join|[\w-]+\/j\.php|wbxmjs|webappng)[^\s<>"'\])]*/iy,
];

/** Longer texts are not searched to their end: the address stands near the start of an invitation. */
const LONGEST_SEARCH = 50_000;
/** Nor are addresses beyond these looked at. */
const MOST_ADDRESSES = 50;

/** The URL where the meeting can be joined, if one is known. */
export function conferenceOf(event: VEvent): string | undefined {
  const { conference, conferenceAsGiven, location, url, description } = event;
  if (conference !== undefined) {
    // Its value is the address as `uriText` spells it; the address itself is beside it, or in URL.
    const given = [conferenceAsGiven, url].find((uri) => uri !== undefined && uriText(uri) === conference);
    return given ?? conference;
  }
  for (const text of [location, url, description]) {
    const match = text === undefined ? undefined : joinUrlIn(text.slice(0, LONGEST_SEARCH));
    if (match !== undefined) return withoutPunctuation(match);
  }
  return undefined;
}

/** In the order of JOIN_URLS, wherever they stand. */
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

/** Without what ends a sentence. A regular expression takes quadratic time for this. */
function withoutPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && '.,;:!?'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * The CONFERENCE of a meeting that is joined by video. Where the address is not written as it is, it is beside it: a
 * comma and `%2C` are not the same to every service.
 */
export function conferenceLine(uri: string): string {
  const [given, written] = [uri.trim(), uriText(uri)];
  const asGiven = given === written ? undefined : given;
  return contentLine('CONFERENCE', { VALUE: 'URI', FEATURE: 'VIDEO', 'X-KALENDS-URI': asGiven }, written);
}

/**
 * A URI as CONFERENCE takes it. RFC 5545 §3.3.13 allows commas and semicolons, but servers that do not know the
 * property take it for a list of texts: vobject cuts it off at the first comma, python-icalendar escapes it.
 */
export const uriText = (uri: string): string =>
  uri
    .trim()
    .replace(
      /[\s\\,;]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
