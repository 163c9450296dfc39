/** Creates deliveries about calendars or connections for endpoints with these topics (docs/webhooks.md). */
import { randomUUIDv7 } from 'node:crypto';
import type { NewMessage, NoteKind, PendingNote, Shows, TakenStream } from './message.ts';

/** Returns the stream's next message. `now` is in epoch milliseconds. */
export function noteMessage(
  { eventType, provider, data, notedAt }: PendingNote,
  { clientId, userId, sequence: last }: Pick<TakenStream, 'clientId' | 'userId' | 'sequence'>,
  now: number,
): NewMessage {
  const sequence = last + 1;
  const timestamp = new Date(notedAt).toISOString();
  const metadata = { clientId, sequence };
  return {
    messageId: `msg_${randomUUIDv7()}`,
    sequence,
    changeType: toChangeType(eventType),
    eventCount: 0,
    shows: 'events',
    body: JSON.stringify({ eventType, userId, provider, timestamp, metadata, data }),
    createdAt: now,
  };
}

/** Returns whether an application may receive a note about an account of which its grants show this much. */
export const isNoteShown = (kind: NoteKind, shows: Shows | undefined): boolean =>
  kind === 'calendars' ? shows === 'events' : shows !== undefined;

function toChangeType(eventType: string): NewMessage['changeType'] {
  if (/\.(?:created|connected)$/.test(eventType)) return 'created';
  return /\.(?:deleted|disconnected)$/.test(eventType) ? 'deleted' : 'updated';
}
