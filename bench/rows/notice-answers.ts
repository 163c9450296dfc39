/**
 * Measures how soon a provider has its response if it sends push notifications as fast as it can, while changes are
 * read and delivered.
 */
import { randomBytes } from 'node:crypto';

import { hashOfSecret } from '../../src/lib/sealing.ts';
import type { Kalends } from '../kalends.ts';
import { type Call, runLoad } from '../load/http-load.ts';
import { type Verdict, verdictOf } from '../report.ts';

const CONNECTIONS = 16;
const DAY_MS = 24 * 3_600_000;
const P99 = { required: 50, outFor: 50 };

export type NoticeLoad = {
  readonly seconds: number;
  /** Changes something at the provider; called repeatedly during the measurement. */
  readonly change: (count: number) => Promise<unknown>;
};

/** Sends push notifications for every calendar in turn, each under a separate watch. */
export async function noticeAnswers(
  { stores, port }: Kalends,
  { seconds, change }: NoticeLoad,
): Promise<Verdict> {
  const calls = await watchCalendars(stores);
  let isOver = false;
  const changing = async () => {
    for (let count = 0; !isOver; count += 1) await change(count);
  };
  let sent = 0;
  const next = () => {
    sent += 1;
    return calls[sent % calls.length];
  };
  const load = runLoad({ port, connections: CONNECTIONS, seconds, expectedStatus: 200 }, next);
  const ended = load.finally(() => {
    isOver = true;
  });
  const [{ p99, rate }] = await Promise.all([ended, changing()]);
  const what = `Answers to ${Math.round(rate)} notices a second, p99`;
  return verdictOf(what, { measured: p99, unit: 'ms' }, P99);
}

/** Creates watches here, because Kalends stores only a digest of the tokens of its own. */
async function watchCalendars({ db, watches }: Kalends['stores']): Promise<Call[]> {
  const calendars = await db.all<{ calendarKey: string; accountKey: string }>(
    'SELECT calendar_key AS "calendarKey", account_key AS "accountKey" FROM calendar WHERE left_out = 0',
  );
  const calls: Call[] = [];
  for (const calendar of calendars) {
    const watchId = randomBytes(16).toString('base64url');
    const token = randomBytes(32).toString('base64url');
    const madeAt = Date.now();
    const expiresAt = madeAt + DAY_MS;
    await watches.addWatch({ ...calendar, watchId, tokenHash: hashOfSecret(token), madeAt, expiresAt });
    const outcome = {
      state: 'live',
      remoteId: watchId,
      reason: undefined,
      renewAt: expiresAt,
      expiresAt,
    } as const;
    await watches.settleWatch(watchId, outcome);
    calls.push({ request: noticeText(watchId, token) });
  }
  return calls;
}

const noticeText = (watchId: string, token: string): string =>
  [
    'POST /webhook-receiver/google HTTP/1.1',
    'Host: 127.0.0.1',
    `X-Goog-Channel-ID: ${watchId}`,
    `X-Goog-Channel-Token: ${token}`,
    'X-Goog-Resource-State: exists',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');
