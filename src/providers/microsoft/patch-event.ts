/** The one request that changes an event or an occurrence. */
import type { Event as GraphEvent } from '@microsoft/microsoft-graph-types';

import type { Current } from './current-event.ts';
import { eventUrl, type Source } from './read-events.ts';
import { writeTo } from './write-refusal.ts';

/** One request, for that very version; none when nothing is left to be written. */
export async function patchEvent(source: Source, { id, ifMatch }: Current, body: GraphEvent): Promise<void> {
  if (Object.keys(body).length === 0) return;
  const request = { operation: 'events.update', method: 'PATCH', url: eventUrl(source, id) } as const;
  await writeTo(source, { ...request, body, ifMatch });
}
