/** Waits for the conference that Google creates for an event. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { calendar_v3 } from '@googleapis/calendar';

import { UnsupportedByProvider } from '../../calendars/provider-error.ts';
import { texts } from '../json-value.ts';
import { CONFERENCE_PROPERTY, findConferenceLink, isPending } from './conference.ts';
import type { EventBody } from './event-body.ts';
import type { GoogleEvents } from './events.ts';

type GoogleEvent = calendar_v3.Schema$Event;

/** Returns whether Google can create Meets in this calendar. */
export async function canCreateMeets(events: GoogleEvents): Promise<boolean> {
  const { conferenceProperties } = await events.entry();
  return texts(conferenceProperties?.allowedConferenceSolutionTypes).includes('hangoutsMeet');
}

/** Fails as UnsupportedByProvider if Google cannot create Meets in this calendar. */
export async function checkMeet(events: GoogleEvents): Promise<void> {
  if (await canCreateMeets(events)) return;
  const message = 'Google does not create Meet links in this calendar';
  throw new UnsupportedByProvider('conference_not_supported_by_calendar', message, 'conferenceData');
}

/** Stores a link that Google dropped in our private property, so that no requested conference is lost. */
export async function withConferenceLink(
  event: GoogleEvent,
  { conferenceData }: EventBody,
  events: GoogleEvents,
): Promise<GoogleEvent> {
  const address = conferenceData ? findConferenceLink({ conferenceData }) : undefined;
  if (address === undefined || findConferenceLink(event) === address) return event;
  const body = { extendedProperties: { private: { [CONFERENCE_PROPERTY]: address } } };
  // Quiet, because attendees have just been notified.
  return events.patch({ id: event.id ?? '', etag: event.etag ?? undefined, body, isQuiet: true });
}

const POLLS = 6;
const POLL_MS = 300;

/** Returns the event with its requested Meet if that exists within two seconds. Later a sync brings it. */
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
