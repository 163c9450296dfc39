/** The shapes of event writes (docs/wire.md 1.8 to 1.10, 2.5) for the API reference. */
import { Type } from 'typebox';
import { Event, eventMembers } from '../reading/calendar.schema.ts';

/** The event at the root, and again under `event`: published clients read the one or the other. */
export const EventAnswer = Type.Object(
  { success: Type.Literal(true), ...eventMembers, event: Event },
  { $id: 'WrittenEvent', description: 'The event’s members at the root, and the same event under `event`.' },
);
