/** Conferences as clients write them, and Meets as Google makes them. */
import { randomBytes } from 'node:crypto';

import type { calendar_v3 } from '@googleapis/calendar';

import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import { amendEvent } from './calendar-events.ts';
import type { Channels } from './channels.ts';
import type { EventDetails, GoogleCalendar, StoredEvent } from './google-store.ts';

type Conference = calendar_v3.Schema$ConferenceData;
type CreateRequest = calendar_v3.Schema$CreateConferenceRequest;

export type MeetBehaviour = {
  /** The kinds of conferences that Google makes in calendars here; with Meet by default. */
  readonly conferenceSolutions: readonly string[];
  /** Whether Google keeps conferences that clients describe; by default it does, which no source confirms. */
  readonly keepsDescribed: boolean;
  /** How long a Meet stays pending, in real milliseconds; at once by default. */
  readonly meetDelayMs: number;
};

/** An event's members for its conference: one that the client describes, or one that Google is to make. */
export function conferenceDetails(
  conference: Conference | undefined,
  behaviour: MeetBehaviour,
): EventDetails {
  if (conference === undefined) return {};
  const { createRequest, entryPoints } = conference;
  if (entryPoints !== undefined) return behaviour.keepsDescribed ? describedDetails(conference) : {};
  if (createRequest === undefined) return {};
  if (!createRequest.requestId) throw new SandboxRefusal(400, 'invalid', 'Invalid conference request id.');
  const type = createRequest.conferenceSolutionKey?.type ?? 'hangoutsMeet';
  if (type !== 'hangoutsMeet' || !behaviour.conferenceSolutions.includes(type)) {
    throw new SandboxRefusal(400, 'invalid', 'Invalid conference type value.');
  }
  if (behaviour.meetDelayMs === 0) return meetDetails(createRequest);
  return { conferenceData: { createRequest: answered(createRequest, 'pending') } };
}

function describedDetails(conference: Conference): EventDetails {
  const video = conference.entryPoints?.find(({ entryPointType }) => entryPointType === 'video')?.uri;
  const isMeet = typeof video === 'string' && video.startsWith('https://meet.google.com/');
  return { conferenceData: conference, ...(isMeet ? { hangoutLink: video } : {}) };
}

const MEET = { type: 'hangoutsMeet' };

const answered = ({ requestId }: CreateRequest, statusCode: string): CreateRequest => ({
  ...(requestId === undefined ? {} : { requestId }),
  conferenceSolutionKey: MEET,
  status: { statusCode },
});

function meetDetails(createRequest: CreateRequest): EventDetails {
  const letters = [...randomBytes(10)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('');
  const code = `${letters.slice(0, 3)}-${letters.slice(3, 7)}-${letters.slice(7)}`;
  const uri = `https://meet.google.com/${code}`;
  return {
    hangoutLink: uri,
    conferenceData: {
      createRequest: answered(createRequest, 'success'),
      entryPoints: [{ entryPointType: 'video', uri, label: uri.slice('https://'.length) }],
      conferenceSolution: { key: MEET, name: 'Google Meet' },
      conferenceId: code,
    },
  };
}

export type MeetMaker = {
  readonly behaviour: MeetBehaviour;
  /** Makes the Meet of an event whose conference is pending, after the delay; the event has another version then. */
  schedule(calendar: GoogleCalendar, event: StoredEvent): void;
  close(): void;
};

export function meetMaker(behaviour: MeetBehaviour, channels: Channels, now: () => number): MeetMaker {
  const timers = new Set<NodeJS.Timeout>();
  const make = (calendar: GoogleCalendar, id: string) => {
    const event = calendar.events.get(id);
    const request = event?.details.conferenceData?.createRequest;
    if (event === undefined || event.status === 'cancelled' || !isPending(request)) return;
    amendEvent({ calendar, event }, { ...event.details, ...meetDetails(request) }, now());
    channels.changed(calendar.id);
  };
  return {
    behaviour,
    schedule(calendar, { id, details }) {
      if (!isPending(details.conferenceData?.createRequest)) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        make(calendar, id);
      }, behaviour.meetDelayMs);
      timers.add(timer);
    },
    close() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

const isPending = (request: CreateRequest | undefined): request is CreateRequest =>
  request?.status?.statusCode === 'pending';
