/** Every request of an adapter names the application and the user that it is for, so that it counts for them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import type {
  AccountSession,
  CalendarAccount,
  OAuthCredentials,
  PasswordProvider,
  RedirectProvider,
} from '../../src/calendars/calendar-provider.ts';
import type { Egress, EgressRequest, EgressResponse } from '../../src/lib/egress/egress.ts';
import { appleProvider } from '../../src/providers/apple/apple-provider.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { googleProvider } from '../../src/providers/google/google-provider.ts';
import { microsoftProvider } from '../../src/providers/microsoft/microsoft-provider.ts';
import { recordingLog } from '../servers/recording-log.ts';

const USER = { clientId: 'acme', userId: 'ada' };
const ISSUER = 'https://issuer.example';
const SERVER = 'https://dav.example/';
const LOGIN = { server: SERVER, username: 'ada', password: 'right' };
const CREDENTIALS = {
  ...{ username: 'ada', password: 'right', principal: SERVER, homes: [SERVER] },
  origins: ['https://dav.example'],
};
const TOKENS: OAuthCredentials = {
  ...{ accessToken: 'a', refreshToken: 'r', expiresAt: 0, scopes: [], appClientId: 'app', issuedAt: 0 },
};
const APP = { clientId: 'app', clientSecret: 's', user: USER };
const METADATA = {
  issuer: ISSUER,
  ...{ authorization_endpoint: `${ISSUER}/a`, token_endpoint: `${ISSUER}/t`, jwks_uri: `${ISSUER}/k` },
  revocation_endpoint: `${ISSUER}/r`,
};
const SESSION: AccountSession = {
  ...{ user: USER, accountKey: 'account' },
  accessToken: async () => 'token',
  renewAccessToken: async () => 'token',
  limited: async (_, request) => request(),
};

const sent: EgressRequest[] = [];
const egress: Egress = {
  async request(request) {
    sent.push(request);
    const isDiscovery = String(request.url).includes('openid-configuration');
    const answer: EgressResponse = {
      status: isDiscovery ? 200 : 404,
      url: new URL(request.url),
      header: (name) => (name === 'content-type' ? 'application/json' : undefined),
      body: Buffer.from(JSON.stringify(isDiscovery ? METADATA : {})),
    };
    return answer;
  },
  close: async () => {},
};
const deps = { egress, log: recordingLog().log, now: () => 0 };
const dns = { resolveSrv: async () => [], resolveTxt: async () => [] };
const oauth = { ...deps, issuer: ISSUER, apiUrl: 'https://api.example' };

type Steps = Readonly<Record<string, () => Promise<unknown> | undefined>>;

const passwordSteps = ({ signIn, open }: PasswordProvider): Steps => ({
  'a typed password': () => signIn.verify(LOGIN, USER),
  'a random password': () => signIn.takesAnyPassword(CREDENTIALS, USER),
  'an open account': () => firstOf(open(CREDENTIALS, SESSION)),
});
const redirectSteps = ({ signIn, open }: RedirectProvider): Steps => ({
  'the way to the provider': () =>
    signIn.begin({ app: APP, redirectUri: SERVER, scope: 'read', state: 's', language: 'en' }),
  'the way back': () =>
    signIn.complete(new URL(`${SERVER}?code=c&state=s`), { state: 's', codeVerifier: 'v'.repeat(43) }, APP),
  'new tokens': () => signIn.renew(TOKENS, APP),
  'an open account': () => firstOf(open({ scopes: [] }, SESSION)),
});
const firstOf = (account: CalendarAccount) =>
  account
    .changesSince(SERVER, undefined, async () => new Map())
    [Symbol.asyncIterator]()
    .next();

const google = () => googleProvider(oauth);
const caldav = () => caldavProvider({ ...deps, dns, feedKey: Buffer.alloc(32) });
const STEPS: Readonly<Record<string, () => Steps>> = {
  google: () => ({
    ...redirectSteps(google()),
    'the end of the access': () => google().signIn.revoke(TOKENS, APP),
  }),
  microsoft: () => redirectSteps(microsoftProvider(oauth)),
  apple: () => passwordSteps(appleProvider({ ...deps, serverUrl: SERVER })),
  caldav: () => ({
    ...passwordSteps(caldav()),
    'the address of a calendar': () => caldav().signIn.verifyAddress?.('https://dav.example/a.ics', USER),
  }),
};

for (const [kind, steps] of Object.entries(STEPS))
  for (const step of Object.keys(steps()))
    it(`all requests for ${step} of ${kind} name the application and the user`, async () => {
      sent.length = 0;

      await steps()
        [step]?.()
        ?.catch(() => {});

      const names = sent.map(({ clientId, owner }) => [clientId, owner]);
      assert.ok(names.length > 0);
      assert.deepEqual(
        names,
        names.map(() => ['acme', 'acme ada']),
      );
    });

const signal = new AbortController().signal;
const FORM = { ...USER, signal };
const SIGN_INS = {
  apple: appleProvider({ ...deps, serverUrl: SERVER }).signIn,
  caldav: caldav().signIn,
};

for (const [kind, signIn] of Object.entries(SIGN_INS))
  it(`all requests for a form of ${kind} end with the signal of the form`, async () => {
    sent.length = 0;

    await signIn.verify(LOGIN, FORM).catch(() => {});
    await signIn.takesAnyPassword(CREDENTIALS, FORM);
    await signIn.verifyAddress?.('https://dav.example/a.ics', FORM).catch(() => {});

    assert.ok(sent.length > 2);
    assert.ok(sent.every((request) => request.signal === signal));
  });
