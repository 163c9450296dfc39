/** The provider of the meeting that an address joins (docs/wire.md 1.8). */
export type ConferenceProvider = 'google-meet' | 'microsoft-teams' | 'zoom' | 'webex';

const DOMAINS: readonly (readonly [domain: string, provider: ConferenceProvider])[] = [
  ['meet.google.com', 'google-meet'],
  ['teams.microsoft.com', 'microsoft-teams'],
  ['teams.microsoft.us', 'microsoft-teams'],
  ['teams.live.com', 'microsoft-teams'],
  ['zoom.us', 'zoom'],
  ['zoom.com', 'zoom'],
  ['zoomgov.com', 'zoom'],
  ['webex.com', 'webex'],
];

/** Returns `undefined` for every other service, and for text that is not a URL. */
export function findConferenceProvider(url: string): ConferenceProvider | undefined {
  const host = URL.parse(url)?.hostname;
  if (host === undefined) return undefined;
  return DOMAINS.find(([domain]) => host === domain || host.endsWith(`.${domain}`))?.[1];
}
