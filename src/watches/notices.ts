/** Handles push notifications: finds the watch, checks that the provider sent it, and schedules the sync. */
import { timingSafeEqual } from 'node:crypto';
import type { ProviderKind } from '../calendars/provider-facts.ts';
import { errorTable } from '../http/refusal.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { Log } from '../lib/log.ts';
import { hashOfSecret } from '../lib/sealing.ts';
import type { Notified, WatchStore } from './watch-store.ts';

export const WATCHES = errorTable({
  channel_not_found: {
    status: 404,
    message: 'There is no such channel here',
    when: 'A push notification names an unknown watch, or its token is wrong.',
    fix: 'Do nothing. The provider stops by itself.',
  },
});

export type NoticesDeps = {
  readonly watches: WatchStore;
  readonly jobs: Pick<JobStore, 'schedule'>;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** A push notification as received: nothing in it is proved yet. */
export type Notice = {
  readonly provider: ProviderKind;
  readonly watchId: string;
  readonly token: string;
  /** `changed`: something changed. The others are Microsoft's: the watch ends soon, has ended, or missed something. */
  readonly says: 'changed' | 'ending' | 'gone' | 'missed';
};

export interface Notices {
  /** Schedules the sync. Returns false for an unknown watch or a wrong token, which is only counted. */
  take(notice: Notice): Promise<boolean>;
}

/** However many notifications arrive for a calendar, it is read once in this time. */
const APART_MS = 500;
const MOST_REMEMBERED = 20_000;
const COUNTED_MS = 60_000;
/** The form of our watch ids. Databases do not accept every other text. */
const WATCH_ID = /^[\w-]{1,64}$/;

export function notices(deps: NoticesDeps): Notices {
  const { watches, jobs, now } = deps;
  const dueAt = new Map<string, number>();
  const count = counting(deps);

  /** Returns now, or the end of the pause after the last notification for the same key. */
  const spaced = (key: string): number => {
    const last = dueAt.get(key) ?? 0;
    // A sync that is already scheduled covers this notification too.
    const due = last > now() ? last : Math.max(now(), last + APART_MS);
    dueAt.delete(key);
    dueAt.set(key, due);
    const [oldest] = dueAt.keys();
    if (dueAt.size > MOST_REMEMBERED && oldest !== undefined) dueAt.delete(oldest);
    return due;
  };

  const act = async (notified: Notified, says: Notice['says']): Promise<void> => {
    const { watchId, accountKey, calendarKey, state } = notified;
    const isFirst = state === 'asked' || state === 'made';
    const ends = says === 'ending' || says === 'gone';
    if (ends) await watches.renewSoon(watchId, says === 'gone');
    // The list is read with its account, which follows what is trusted.
    else if (isFirst || calendarKey === undefined) await watches.trustFrom(watchId, now());
    if (ends || calendarKey === undefined)
      await jobs.schedule('sync-account', accountKey, spaced(accountKey));
    if (says !== 'ending' && calendarKey !== undefined)
      await jobs.schedule('sync-calendar', calendarKey, spaced(calendarKey));
  };

  return {
    async take({ provider, watchId, token, says }) {
      const notified = WATCH_ID.test(watchId) ? await watches.findNotified(watchId) : undefined;
      if (notified === undefined || notified.provider !== provider) {
        count('unknown');
        return false;
      }
      if (!timingSafeEqual(Buffer.from(hashOfSecret(token)), Buffer.from(notified.tokenHash))) {
        count('forged');
        return false;
      }
      await act(notified, says);
      return true;
    },
  };
}

/** Logs at most one line per minute, so that a sender cannot fill the log. */
function counting({ log, now }: NoticesDeps): (what: 'unknown' | 'forged') => void {
  const counts = { unknown: 0, forged: 0 };
  let loggedAt = 0;
  return (what) => {
    counts[what] += 1;
    if (now() < loggedAt + COUNTED_MS) return;
    loggedAt = now();
    log.warn(
      { event: 'notices_refused', ...counts },
      'Push notifications were rejected: unknown watch or wrong token',
    );
    counts.unknown = 0;
    counts.forged = 0;
  };
}
