/**
 * Maps the video conference of an event. An application's link becomes a video entry point. No source confirms that
 * Google keeps it; if it does not, the link is stored in our private property.
 */
import type { calendar_v3 } from '@googleapis/calendar';

import { findConferenceProvider } from '../../lib/conference-provider.ts';
import { isObject, objects, text } from '../json-value.ts';
import { unsupportedField } from '../unsupported-field.ts';

type GoogleEvent = calendar_v3.Schema$Event;
type Conference = calendar_v3.Schema$ConferenceData;

/** The property for a link that Google does not accept as a conference. */
export const CONFERENCE_PROPERTY = 'kalendsConference';

/** Returns the link to join. Telephone numbers and other entries are ignored. */
export function findConferenceLink(event: GoogleEvent): string | undefined {
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

/** Maximum length of an entry point's address, from Google's published types. */
const LONGEST_ADDRESS = 1300;
const NAMES = {
  'google-meet': 'Google Meet',
  'microsoft-teams': 'Microsoft Teams',
  zoom: 'Zoom',
  webex: 'Webex',
};

/** Builds a conference with this link. Fails as UnsupportedByProvider if it is not a web address. */
export function buildConference(address: string): Conference {
  const url = /^https?:\/\//i.test(address) && address.length <= LONGEST_ADDRESS ? URL.parse(address) : null;
  if (url === null)
    throw unsupportedField(
      'conference',
      `A conference at Google must be an http or https URL of at most ${LONGEST_ADDRESS} characters`,
    );
  const provider = findConferenceProvider(address);
  const isMeet = provider === 'google-meet';
  const name = provider === undefined ? url.hostname : NAMES[provider];
  return {
    conferenceSolution: { key: { type: isMeet ? 'hangoutsMeet' : 'addOn' }, name },
    // The id of a Meet is the code at the end of its address.
    ...(isMeet && { conferenceId: url.pathname.slice(1) }),
    entryPoints: [{ entryPointType: 'video', uri: address }],
  };
}

export const hasMeet = ({ conferenceData }: GoogleEvent): boolean =>
  conferenceData !== undefined && conferenceData !== null && isMeet(conferenceData);

const isMeet = ({ conferenceSolution, createRequest }: Conference): boolean =>
  (conferenceSolution?.key ?? createRequest?.conferenceSolutionKey)?.type === 'hangoutsMeet';

/**
 * Returns a copy of a conference for another event. Since February 2026 Google asks for a separate Meet for each event;
 * `meetId` requests one. Otherwise the conference is copied, unless Google could not create it.
 */
export function copyConference(
  conference: Conference | null | undefined,
  meetId: string | undefined,
): Conference | undefined {
  if (conference === null || conference === undefined) return undefined;
  if (meetId !== undefined && isMeet(conference)) return buildMeetRequest(meetId);
  const { createRequest: _done, ...described } = conference;
  return objects(described.entryPoints).length === 0 ? undefined : described;
}

/** Returns a request for a new Meet. The same `requestId` requests the same Meet. */
export const buildMeetRequest = (requestId: string): Conference => ({
  createRequest: { requestId, conferenceSolutionKey: { type: 'hangoutsMeet' } },
});

/** Returns a patch that replaces `former` completely. */
export function buildConferencePatch(conference: Conference, former: unknown): Conference {
  const stale = isObject(former) ? Object.keys(former).filter((name) => !(name in conference)) : [];
  return { ...Object.fromEntries(stale.map((name) => [name, null])), ...conference };
}

export const isPending = ({ conferenceData }: GoogleEvent): boolean =>
  conferenceData?.createRequest?.status?.statusCode === 'pending';
