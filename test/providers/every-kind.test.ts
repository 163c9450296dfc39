/** Rules for every kind of provider that the type checker cannot enforce; see docs/adding-a-provider.md. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';

import type { Provider } from '../../packages/client/src/calendar-shapes.ts';
import type { CalendarProvider } from '../../src/calendars/calendar-provider.ts';
import { PROVIDER_FACTS, PROVIDER_KINDS, type ProviderKind } from '../../src/calendars/provider-facts.ts';
import { PROVIDER_NAMES } from '../../src/design/parts.page.ts';
import { createEgress } from '../../src/lib/egress/egress.ts';
import { appleProvider } from '../../src/providers/apple/apple-provider.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { googleProvider } from '../../src/providers/google/google-provider.ts';
import { microsoftProvider } from '../../src/providers/microsoft/microsoft-provider.ts';
import { recordingLog } from '../servers/recording-log.ts';

const egress = createEgress({ privateNetwork: { mode: 'deny' } });
const upstream = { egress, log: recordingLog().log, now: () => 0 };
const oauth = { ...upstream, issuer: 'https://issuer.example', apiUrl: 'https://api.example' };
const ADAPTERS: Readonly<Record<ProviderKind, CalendarProvider>> = {
  google: googleProvider({ ...oauth, asksForCalendars: false }),
  microsoft: microsoftProvider(oauth),
  apple: appleProvider({ ...upstream, serverUrl: 'https://caldav.example' }),
  caldav: caldavProvider(upstream),
};
/** Both ways: a kind that only one of the two has does not type. */
const CLIENT_KINDS: Readonly<Record<Provider, ProviderKind>> & Readonly<Record<ProviderKind, Provider>> = {
  google: 'google',
  microsoft: 'microsoft',
  apple: 'apple',
  caldav: 'caldav',
};
const DOCUMENTS = [
  'README.md',
  'packages/client/README.md',
  'docs/providers.md',
  'docs/wire.md',
  'docs/sandbox.md',
];

for (const kind of PROVIDER_KINDS) {
  it(`the facts of ${kind} are those of its adapter`, () => {
    const { signIn } = ADAPTERS[kind];

    assert.equal(PROVIDER_FACTS[kind].signIn, signIn.method);
    assert.equal(PROVIDER_FACTS[kind].endsAccess, 'revoke' in signIn);
  });

  it(`the client package knows ${kind}`, () => assert.equal(CLIENT_KINDS[kind], kind));

  it(`the documents name ${kind}`, () => {
    const silent = DOCUMENTS.filter(
      (name) =>
        !readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8').includes(PROVIDER_NAMES[kind]),
    );

    assert.deepEqual(silent, []);
  });
}
