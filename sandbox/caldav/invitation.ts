/** Invitations from people of other servers, as they come by mail (RFC 6047). */

import { buildVtimezone } from '../../src/lib/icalendar/vtimezone-writer.ts';
import { writeComponent } from '../../src/lib/icalendar/write-lines.ts';
import type { EventDraft } from '../core/provider-sandbox.ts';
import { eventLines } from './event-writer.ts';

export type Invitation = EventDraft & {
  readonly uid: string;
  readonly organizer: { readonly email: string; readonly name: string };
  /** 0 unless said: how often it was changed. */
  readonly sequence?: number;
  /** It does not take place. */
  readonly isCancelled?: boolean;
};

/** The text of the message. `now` is epoch milliseconds. Throws an Error for times that are none. */
export function invitationText(invitation: Invitation, now: number): string {
  const { uid, organizer, sequence = 0, isCancelled = false, start, end } = invitation;
  const lines = eventLines(invitation, { uid, now, sequence, organizer });
  const zones = new Set([start, end].flatMap((time) => ('date' in time ? [] : time.timeZone)));
  return writeComponent({
    name: 'VCALENDAR',
    lines: ['VERSION:2.0', 'PRODID:-//Kalends//Sandbox//EN', `METHOD:${isCancelled ? 'CANCEL' : 'REQUEST'}`],
    components: [
      ...[...zones].filter((zone) => zone !== 'UTC').map((zone) => buildVtimezone(zone, now)),
      { name: 'VEVENT', lines: isCancelled ? [...lines, 'STATUS:CANCELLED'] : lines, components: [] },
    ],
  });
}
