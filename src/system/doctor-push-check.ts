/** The check of `doctor` that says whether Google and Microsoft can tell of changes here, and whether they do. */
import { APP_KINDS, APP_NAMES } from '../access/provider-apps.ts';
import type { Config } from '../config/config.ts';
import { receiverUrls } from '../watches/receiver-url.ts';
import type { Check } from './doctor-checks.ts';
import type { StorageReport, WatchedCalendars } from './storage-report.ts';

const STATES: Readonly<Record<string, string>> = {
  live: 'told by it',
  made: 'polled, since it told nothing yet: it has to reach the address',
  unsupported: 'polled, since it cannot tell of them',
  failed: 'polled, since it refuses',
  ended: 'polled, since nothing renewed what it told of',
};

/** Without a way in changes come later, and that is all: no reason to warn. */
export function checkPushes(report: StorageReport, config: Config): Check {
  const name = 'pushes';
  const urlOf = receiverUrls(config);
  const [url] = APP_KINDS.flatMap((kind) => urlOf(kind) ?? []);
  if (url === undefined) {
    const message =
      'KALENDS_URL is not https, so that Google and Microsoft cannot tell of changes: their calendars are asked every 5 minutes where an application waits for them.';
    return { name, status: 'ok', message };
  }
  const watched = report.state === 'reachable' ? report.watched : [];
  if (watched.length === 0) {
    const message = `Google and Microsoft are to tell of changes at ${url.replace(/[^/]+$/, '…')}; no calendar of theirs is waited for yet.`;
    return { name, status: 'ok', message };
  }
  const isPoor = watched.some(({ state }) => state !== 'live' && state !== 'unsupported');
  return { name, status: isPoor ? 'warn' : 'ok', message: `Calendars: ${watched.map(lineOf).join('; ')}.` };
}

const lineOf = ({ provider, state, reason, count }: WatchedCalendars): string =>
  `${count} of ${APP_NAMES[provider]} ${STATES[state] ?? state}${reason === null ? '' : ` (${reason})`}`;
