/**
 * Maps the video conference of an event. An application's link becomes a video entry point of a Meet or add-on
 * conference, so that Google shows it as a conference. No source confirms that Google keeps it; if it does not, the
 * link is kept in our private property. A link that Google creates is requested.
 */
import type { calendar_v3 } from '@googleapis/calendar';

import { conferenceProviderOf } from '../../lib/conference-provider.ts';
import { isObject, objects, text } from '../json-value.ts';
import { unsupportedField } from '../unsupported-field.ts';

type GoogleEvent = calendar_v3.Schema$Event;
type Conference = calendar_v3.Schema$ConferenceData;

/** The property for a link that Google does not accept as a conference. */
export const CONFERENCE_PROPERTY = 'kalendsConference';

/** A conference can also have telephone numbers and other entries. */
export function conferenceOf(event: GoogleEvent): string | undefined {
  const { conferenceData, hangoutLink, extendedProperties } = event;
  const entries = objects<calendar_v3.Schema$EntryPoint>(conferenceData?.entryPoints);
  const video = entries.find(({ entryPointType }) => entryPointType === 'video');
  const links = [
    text(video?.uri),
    text(hangoutLink),
    text(extendedProperties?.private?.[CONFERENCE_PROPERTY]),
  ];
  return links.find((uri) => /^https?:\/\//i.test(uri ?? ''));
}

/** The longest address of an entry point, as Google's published types have it. */
const LONGEST_ADDRESS = 1300;
const NAMES = {
  'google-meet': 'Google Meet',
  'microsoft-teams': 'Microsoft Teams',
  zoom: 'Zoom',
  webex: 'Webex',
};

/** Fails as UnsupportedByProvider for what is no address on the web. */
export function conferenceAt(address: string): Conference {
  const url = /^https?:\/\//i.test(address) && address.length <= LONGEST_ADDRESS ? URL.parse(address) : null;
  if (url === null)
    throw unsupportedField(
      'conference',
      `A conference at Google is an http or https address of at most ${LONGEST_ADDRESS} characters`,
    );
  const provider = conferenceProviderOf(address);
  const isMeet = provider === 'google-meet';
  const name = provider === undefined ? url.hostname : NAMES[provider];
  return {
    conferenceSolution: { key: { type: isMeet ? 'hangoutsMeet' : 'addOn' }, name },
    // Meet is known by the code that its address ends with.
    ...(isMeet && { conferenceId: url.pathname.slice(1) }),
    entryPoints: [{ entryPointType: 'video', uri: address }],
  };
}

export const hasMeet = ({ conferenceData }: GoogleEvent): boolean =>
  conferenceData !== undefined && conferenceData !== null && isMeet(conferenceData);

/** Whether Google hosts it. */
const isMeet = ({ conferenceSolution, createRequest }: Conference): boolean =>
  (conferenceSolution?.key ?? createRequest?.conferenceSolutionKey)?.type === 'hangoutsMeet';

/**
 * Returns a copy of a conference for another event. Since February 2026 Google asks for a new Meet for each event,
 * since a shared one may shut people out or let strangers in; `meetId` requests it. Without `meetId`, if the calendar
 * creates no Meets, it is copied like a conference hosted elsewhere. A conference that could not be created has nothing
 * to copy.
 */
export function copiedConference(
  conference: Conference | null | undefined,
  meetId: string | undefined,
): Conference | undefined {
  if (conference === null || conference === undefined) return undefined;
  if (meetId !== undefined && isMeet(conference)) return requestedMeet(meetId);
  const { createRequest: _done, ...described } = conference;
  return objects(described.entryPoints).length === 0 ? undefined : described;
}

/** A Meet of Google's making; the same `requestId` asks for the same one. */
export const requestedMeet = (requestId: string): Conference => ({
  createRequest: { requestId, conferenceSolutionKey: { type: 'hangoutsMeet' } },
});

/** Returns a patch that replaces a conference. A member that remained would belong to neither. */
export function conferencePatch(conference: Conference, former: unknown): Conference {
  const stale = isObject(former) ? Object.keys(former).filter((name) => !(name in conference)) : [];
  return { ...Object.fromEntries(stale.map((name) => [name, null])), ...conference };
}

/** Whether Google is still making the conference. */
export const isPending = ({ conferenceData }: GoogleEvent): boolean =>
  conferenceData?.createRequest?.status?.statusCode === 'pending';
