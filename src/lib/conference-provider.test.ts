import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { findConferenceProvider } from './conference-provider.ts';

describe('the conference provider', () => {
  const addresses: [url: string, provider: string | undefined][] = [
    ['https://meet.google.com/abc-defg-hij', 'google-meet'],
    ['https://teams.microsoft.com/l/meetup-join/19%3ameeting', 'microsoft-teams'],
    ['https://teams.live.com/meet/93', 'microsoft-teams'],
    ['https://acme.zoom.us/j/123?pwd=x', 'zoom'],
    ['https://ACME.webex.com/meet/ada', 'webex'],
    ['https://notzoom.us/j/1', undefined],
    ['https://zoom.us.evil.example/j/1', undefined],
    ['https://google.com/', undefined],
    ['tel:+33-1', undefined],
    ['', undefined],
  ];
  for (const [url, provider] of addresses) {
    it(`of ${url || 'nothing'} is ${provider ?? 'not known'}`, () => {
      assert.equal(findConferenceProvider(url), provider);
    });
  }
});
