/** Parses the properties of a few resources, for discovery, ctags and writes. */
import { type DavBody, decodeBody } from './dav-body.ts';
import type { DavTask } from './dav-reading.ts';
import { type DavResponse, multistatusParts } from './multistatus.ts';
import type { XmlElement } from './xml.ts';

/** No request for so few resources has more responses. */
const MOST_RESPONSES = 100;
const MOST_ELEMENTS = 1000;

/** Yields the first hundred responses, each with its first thousand elements. Fails as `multistatusParts` does. */
export const PROPERTIES: DavTask<{ readonly body: DavBody }, readonly DavResponse[]> = {
  name: 'caldav-properties',
  *run({ body }) {
    let left = MOST_RESPONSES;
    for (const responses of multistatusParts(decodeBody(body), bounded)) {
      // One by one: a thousand elements are enough to receive at once.
      for (const response of responses.slice(0, left)) yield [response];
      left -= responses.length;
      if (left <= 0) return;
    }
  },
};

export function bounded(response: DavResponse): DavResponse {
  const room = { left: MOST_ELEMENTS };
  const properties = new Map<string, XmlElement>();
  for (const [name, element] of response.properties) {
    if (room.left <= 0) break;
    properties.set(name, within(room, element));
  }
  return { ...response, properties };
}

function within(room: { left: number }, element: XmlElement): XmlElement {
  room.left -= 1;
  const children: XmlElement[] = [];
  for (const child of element.children) {
    if (room.left <= 0) break;
    children.push(within(room, child));
  }
  return { ...element, children };
}
