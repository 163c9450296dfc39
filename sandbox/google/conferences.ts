/** Conferences as clients write them, and Meets as Google makes them. */
import { randomBytes } from 'node:crypto';

import type { calendar_v3 } from '@googleapis/calendar';

import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import { amendEvent } from './calendar-events.ts';
import type { Channels } from './channels.ts';
import type { EventWords, GoogleCalendar, StoredEvent } from './google-world.ts';

type Conference = calendar_v3.Schema$ConferenceData;
type CreateRequest = calendar_v3.Schema$CreateConferenceRequest;

export type MeetManner = {
  /** The kinds of conferences that Google makes in calendars here; with Meet by default. */
  readonly conferenceSolutions: readonly string[];
  /** Whether Google keeps conferences that clients describe; by default it does (k). */
  readonly keepsDescribed: boolean;
  /** How long a Meet stays pending, in real milliseconds; at once by default. */
  readonly meetDelayMs: number;
};

/** What an event says of its conference: one that the client describes, or one that is asked for. */
export function conferenceWords(conference: Conference | undefined, manner: MeetManner): EventWords {
  if (conference === undefined) return {};
  const { createRequest, entryPoints } = conference;
  if (entryPoints !== undefined) return manner.keepsDescribed ? describedWords(conference) : {};
  if (createRequest === undefined) return {};
  if (!createRequest.requestId) throw new SandboxRefusal(400, 'invalid', 'Invalid conference request id.');
  const type = createRequest.conferenceSolutionKey?.type ?? 'hangoutsMeet';
  if (type !== 'hangoutsMeet' || !manner.conferenceSolutions.includes(type)) {
    throw new SandboxRefusal(400, 'invalid', 'Invalid conference type value.');
  }
  if (manner.meetDelayMs === 0) return meetWords(createRequest);
  return { conferenceData: { createRequest: answered(createRequest, 'pending') } };
}

function describedWords(conference: Conference): EventWords {
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

function meetWords(createRequest: CreateRequest): EventWords {
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
  readonly manner: MeetManner;
  /** Makes the Meet that the event waits for, if it does; the event has another version then. */
  expect(calendar: GoogleCalendar, event: StoredEvent): void;
  close(): void;
};

export function meetMaker(manner: MeetManner, channels: Channels, now: () => number): MeetMaker {
  const timers = new Set<NodeJS.Timeout>();
  const make = (calendar: GoogleCalendar, id: string) => {
    const event = calendar.events.get(id);
    const request = event?.words.conferenceData?.createRequest;
    if (event === undefined || event.status === 'cancelled' || !isPending(request)) return;
    amendEvent({ calendar, event }, { ...event.words, ...meetWords(request) }, now());
    channels.changed(calendar.id);
  };
  return {
    manner,
    expect(calendar, { id, words }) {
      if (!isPending(words.conferenceData?.createRequest)) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        make(calendar, id);
      }, manner.meetDelayMs);
      timers.add(timer);
    },
    close() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

const isPending = (request: CreateRequest | undefined): request is CreateRequest =>
  request?.status?.statusCode === 'pending';
