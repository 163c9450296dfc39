/** An account of Ada's at the sandbox's Google that may write, with a calendar in Berlin. */
import assert from 'node:assert/strict';

import type { calendar_v3 } from '@googleapis/calendar';

import { sandboxClock } from '../../../sandbox/core/clock.ts';
import { type Faults, faultBoard } from '../../../sandbox/core/faults.ts';
import {
  type GoogleSandbox,
  type GoogleSandboxOptions,
  googleSandbox,
} from '../../../sandbox/google/google-sandbox.ts';
import type { CalendarAccount } from '../../../src/calendars/calendar-provider.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { googleProvider } from '../../../src/providers/google/google-provider.ts';
import { ADA, APP, BOB, CALLBACK, walk } from '../../sandbox/google/google-client.ts';
import { recordingLog } from '../../servers/recording-log.ts';
import { sessionOf } from './google-session.ts';

export type GoogleWriting = {
  readonly google: GoogleSandbox;
  readonly faults: Faults;
  readonly account: CalendarAccount;
  /** In Berlin, empty. */
  readonly calendarHref: string;
  /** Everything sent to the Calendar API, in order. */
  readonly sent: Sent[];
  /** Everything the adapter logged. */
  readonly logged: ReturnType<typeof recordingLog>['entries'];
  /** The Calendar API itself, with the account's token. */
  call(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: calendar_v3.Schema$Event }>;
  close(): Promise<void>;
};

export type Sent = {
  readonly method: string;
  /** Below the API's address. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
};

export async function openGoogleWriting(options: GoogleSandboxOptions = {}): Promise<GoogleWriting> {
  const clock = sandboxClock();
  const faults = faultBoard();
  const google = await googleSandbox({ clock, faults, apps: [APP], ...options });
  await google.manual.addPerson(ADA);
  await google.manual.addPerson(BOB);
  const calendarHref = await google.manual.addCalendar(ADA.email, {
    title: 'Work',
    color: '#0b8043',
    timeZone: 'Europe/Berlin',
  });
  const sent: Sent[] = [];
  const recorded = recordingLog();
  const egress = recording(createEgress({ privateNetwork: { mode: 'loopback' } }), google.apiUrl, sent);
  const provider = googleProvider({
    egress,
    issuer: google.issuer,
    apiUrl: google.apiUrl,
    log: recorded.log,
    now: () => clock.now(),
  });
  const request = {
    app: APP,
    redirectUri: CALLBACK,
    scope: 'read-write',
    state: 's',
    language: 'en',
  } as const;
  const { url, pending } = await provider.signIn.begin(request);
  const { credentials } = await provider.signIn.complete(await walk(url), pending, APP);
  const session = sessionOf(provider, APP, credentials, () => clock.now());
  return {
    google,
    faults,
    account: provider.open(credentials, session),
    calendarHref,
    sent,
    logged: recorded.entries,
    async call(method, path, body) {
      const answer = await fetch(`${google.apiUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${session.credentials.accessToken}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      assert.ok(answer.status < 500, text);
      return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
    },
    async close() {
      await google.close();
      await egress.close();
    },
  };
}

/** The real way out, which writes down what leaves for the API. */
function recording(egress: Egress, apiUrl: string, sent: Sent[]): Egress {
  return {
    request(request) {
      const url = new URL(request.url);
      const { method, body } = request;
      if (url.href.startsWith(apiUrl)) {
        const path = url.href.slice(apiUrl.length).split('?')[0] ?? '';
        sent.push({ method, path, query: url.searchParams, body: body && JSON.parse(String(body)) });
      }
      return egress.request(request);
    },
    close: () => egress.close(),
  };
}
