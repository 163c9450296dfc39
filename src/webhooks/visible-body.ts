/** Reduces an existing message to what is visible now, for the log and resends. */
import type { Shows } from './message.ts';
import { busyBody, showsLess } from './message-body.ts';
import { isNoteShown } from './note-message.ts';
import type { StreamStore } from './stream-store.ts';

export type CreatedMessage = {
  readonly clientId: string;
  readonly userId: string;
  /** Undefined for a note about a user's calendars and connections. */
  readonly calendarKey: string | undefined;
  readonly shows: Shows;
  readonly body: string;
};

export type VisibleBodyDeps = {
  readonly streams: Pick<StreamStore, 'findDeliveryCalendar' | 'shownOfAccount'>;
  readonly busyId: (event: { readonly calendarKey: string; readonly id: string }) => string;
};

/** Returns the body as JSON; undefined if no active grant covers its account. */
export async function visibleBody(
  message: CreatedMessage,
  deps: VisibleBodyDeps,
): Promise<string | undefined> {
  const { calendarKey, shows, body } = message;
  const { streams, busyId } = deps;
  if (calendarKey === undefined) return (await isNoteVisible(message, deps)) ? body : undefined;
  const calendar = await streams.findDeliveryCalendar(calendarKey);
  if (calendar === undefined) return undefined;
  return showsLess(shows, calendar.shows) ? busyBody(body, (id) => busyId({ calendarKey, id })) : body;
}

async function isNoteVisible(message: CreatedMessage, { streams }: VisibleBodyDeps): Promise<boolean> {
  const { clientId, userId } = message;
  // Every note names its account (user-notes.ts). No grant restricts a body without an account.
  const { eventType, provider, data } = JSON.parse(message.body);
  if (typeof data?.account !== 'string') return true;
  const shows = await streams.shownOfAccount({ clientId, userId, provider, accountId: data.account });
  return isNoteShown(String(eventType).startsWith('calendar.') ? 'calendars' : 'connections', shows);
}
