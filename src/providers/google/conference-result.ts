/** What Google made of the conference that an event was written with. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { calendar_v3 } from '@googleapis/calendar';

import { UnsupportedByProvider } from '../../calendars/provider-error.ts';
import { texts } from '../json-value.ts';
import { CONFERENCE_PROPERTY, conferenceOf, isPending } from './conference.ts';
import type { EventBody } from './event-body.ts';
import type { GoogleEvents } from './events.ts';

type GoogleEvent = calendar_v3.Schema$Event;

/** Whether Google makes Meets in this calendar. */
export async function makesMeets(events: GoogleEvents): Promise<boolean> {
  const { conferenceProperties } = await events.entry();
  return texts(conferenceProperties?.allowedConferenceSolutionTypes).includes('hangoutsMeet');
}

/** Fails as UnsupportedByProvider where Google makes no Meets. */
export async function checkMeet(events: GoogleEvents): Promise<void> {
  if (await makesMeets(events)) return;
  const message = 'Google makes no Meet links in this calendar';
  throw new UnsupportedByProvider('conference_not_supported_by_calendar', message, 'conferenceData');
}

/** A link that Google left out as a conference is kept as a property: what was asked for is never lost in silence. */
export async function withConferenceLink(
  event: GoogleEvent,
  { conferenceData }: EventBody,
  events: GoogleEvents,
): Promise<GoogleEvent> {
  // A conference that is copied can have telephone numbers before its link.
  const address = conferenceData ? conferenceOf({ conferenceData }) : undefined;
  if (address === undefined || conferenceOf(event) === address) return event;
  const body = { extendedProperties: { private: { [CONFERENCE_PROPERTY]: address } } };
  // Its guests have just been notified.
  return events.patch({ id: event.id ?? '', etag: event.etag ?? undefined, body, isQuiet: true });
}

const POLLS = 6;
const POLL_MS = 300;

/**
 * With the Meet that was asked for, where Google has it within two seconds; later it comes with a sync. What Google could
 * not make stands in `conferenceData`.
 */
export async function withFinishedMeet(event: GoogleEvent, events: GoogleEvents): Promise<GoogleEvent> {
  let latest = event;
  for (let polls = 0; polls < POLLS && isPending(latest); polls += 1) {
    await sleep(POLL_MS);
    const now = await events.get(event.id ?? '');
    if (now === undefined || now.status === 'cancelled') return latest;
    latest = now;
  }
  return latest;
}
