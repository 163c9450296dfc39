/** Evaluates alerts once a minute on one worker, and sends their notices. */
import { isDatabaseAway } from '../lib/database-away-error.ts';
import type { Log } from '../lib/log.ts';
import { type AlertChannel, AlertSendError } from './alert-channels.ts';
import { type ConditionDeps, findApplicationConditions, findCheckConditions } from './alert-conditions.ts';
import type { Alert, AlertEvent, AlertNotice, AlertStore } from './alert-store.ts';
import type { RunningProgram } from './running-program.ts';

export type AlertDeps = ConditionDeps & {
  readonly alerts: AlertStore;
  readonly program: Pick<RunningProgram, 'check'>;
  readonly channels: readonly AlertChannel[];
  /** Returns the channel of a developer. Undefined if no mail server is set. */
  readonly openMailChannel?: ((address: string) => AlertChannel) | undefined;
  readonly log: Pick<Log, 'error' | 'warn'>;
  /** Counts messages for the metric. Undefined if metrics are off. */
  readonly noticesEnded?: ((channel: AlertChannel['channel'], outcome: NoticeOutcome) => void) | undefined;
};
export type NoticeOutcome = 'sent' | 'failed' | 'given_up';

const MINUTE_MS = 60_000;
const LOOK_EVERY_MS = 15_000;
const EVALUATE_EVERY_MS = 55_000;
const CHECK_EVERY_MS = 10 * MINUTE_MS - 5_000;
/** The notices of one claim must be sent within this time, or another worker sends them too. */
const CLAIM_MS = 2 * MINUTE_MS;
const MOST_AT_ONCE = 100;
const RETRIED_FOR_MS = 24 * 60 * MINUTE_MS;
const GIVEN_UP = 'Alerts could not be sent for 24 hours';
const KEPT_MS = 90 * 24 * 60 * MINUTE_MS;

/** Looks for work every 15 seconds. `stop` waits for the running look. */
export function startAlerts(deps: AlertDeps): { stop(): Promise<void> } {
  const look = alertsDue(deps);
  let looking: Promise<void> | undefined;
  const timer = setInterval(() => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
  }, LOOK_EVERY_MS).unref();
  return {
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}

/** Returns a function that does what is due. It never throws: a failed run is logged and repeated. */
export function alertsDue(deps: AlertDeps): () => Promise<void> {
  const watch = databaseWatch(deps);
  const noteFailure = (err: unknown) =>
    deps.log.error({ event: 'alerts_failed', err }, 'Alerts could not be evaluated or sent');
  return async () => {
    try {
      await evaluate(deps);
      await watch.works();
      for (const channel of deps.channels) await sendNotices(channel, deps);
      await mailDevelopers(deps);
    } catch (err) {
      noteFailure(err);
      if (isDatabaseAway(err)) await watch.fails().catch(noteFailure);
    }
  };
}

async function evaluate(deps: AlertDeps): Promise<void> {
  const { alerts, program, channels, now } = deps;
  const notified = { recipients: channels, mailsDevelopers: deps.openMailChannel !== undefined };
  const at = now();
  if (!(await alerts.claimRun('alerts', { now: at, before: at - EVALUATE_EVERY_MS }))) return;
  const { conditions, partial } = await findApplicationConditions(deps);
  const kinds = ['endpoint_unhealthy', 'provider_app_refused', 'accounts_need_action'] as const;
  await alerts.applyEvaluation(conditions, { kinds, partial, ...notified, now: at });
  if (await alerts.claimRun('alert_checks', { now: at, before: at - CHECK_EVERY_MS })) {
    const failed = findCheckConditions(await program.check(), deps);
    await alerts.applyEvaluation(failed, { kinds: ['check_failed'], ...notified, now: now() });
  }
  for (const [channel, count] of await alerts.giveUpNotices(at - RETRIED_FOR_MS, at)) {
    deps.noticesEnded?.(channel, 'given_up');
    deps.log.error({ event: 'alert_not_sent', channel, count }, GIVEN_UP);
  }
  await alerts.deleteOldAlerts(at - KEPT_MS);
}

/** Mails developers until a mail fails, so that a slow mail server does not delay the next look. */
async function mailDevelopers(deps: AlertDeps): Promise<void> {
  const { alerts, channels, openMailChannel } = deps;
  if (openMailChannel === undefined) return;
  const configured = channels.flatMap(({ channel, recipient }) => (channel === 'mail' ? recipient : []));
  for (const address of await alerts.pendingDevelopers(configured, MOST_AT_ONCE))
    if (!(await sendNotices(openMailChannel(address), deps))) return;
}

/** Sends the notices that are due. Returns false if a message failed; its notices are sent at a later look. */
async function sendNotices(channel: AlertChannel, deps: AlertDeps): Promise<boolean> {
  const { alerts, now } = deps;
  const { channel: name, recipient, batch } = channel;
  const at = now();
  const limit = Math.max(batch, MOST_AT_ONCE);
  const times = { now: at, nextAt: at + retryMs(channel), limit };
  const notices = await alerts.claimNotices({ channel: name, recipient }, times);
  for (let start = 0; start < notices.length; start += batch) {
    const message = notices.slice(start, start + batch);
    if (!(await sendMessage(channel, message, deps))) return false;
    await alerts.settleNotices({ channel: name, recipient }, message, now());
  }
  return true;
}

/** Returns the least time from an attempt to the next one after a failure. */
const retryMs = ({ paceMs }: AlertChannel): number => Math.max(paceMs, CLAIM_MS);

/** Sends one message. Returns false if that failed. */
async function sendMessage(
  channel: AlertChannel,
  notices: readonly AlertNotice[],
  { log, noticesEnded }: AlertDeps,
): Promise<boolean> {
  const { channel: name } = channel;
  try {
    await channel.send(notices);
  } catch (reason) {
    if (!(reason instanceof AlertSendError)) throw reason;
    noticesEnded?.(name, 'failed');
    const fields = { event: 'alert_delayed', channel: name, reason: reason.message } as const;
    log.warn(fields, 'Alerts could not be sent and are tried again');
    return false;
  }
  noticesEnded?.(name, 'sent');
  return true;
}

const UNAVAILABLE_MS = 60_000;

/** Sends `database_unavailable` from memory: the store cannot be used then. Each worker sends its own. */
function databaseWatch(deps: AlertDeps) {
  const { channels, now } = deps;
  let failingSince: number | undefined;
  let open: Alert | undefined;
  const outboxes = channels.map((channel) => ({ channel, nextAt: 0, notices: [] as AlertNotice[] }));
  const add = (event: AlertEvent, alert: Alert): void => {
    for (const { notices } of outboxes) notices.push({ event, alert });
  };
  const send = async (): Promise<void> => {
    for (const outbox of outboxes) {
      const { channel, notices } = outbox;
      giveUp(outbox, deps);
      if (notices.length === 0 || now() < outbox.nextAt) continue;
      outbox.nextAt = now() + retryMs(channel);
      if (!(await sendMessage(channel, notices, deps))) continue;
      notices.length = 0;
      outbox.nextAt = now() + channel.paceMs;
    }
  };
  return {
    async fails(): Promise<void> {
      failingSince ??= now();
      if (open === undefined && now() - failingSince >= UNAVAILABLE_MS) {
        open = {
          ...{ alertId: `database_${failingSince}`, kind: 'database_unavailable', subject: 'database' },
          ...{ severity: 'critical', openedAt: now() },
          summary: 'The database is unreachable or read-only',
          action: 'Look at the database and at the log of this worker.',
        };
        add('opened', open);
      }
      await send();
    },
    async works(): Promise<void> {
      failingSince = undefined;
      if (open !== undefined) add('resolved', { ...open, resolvedAt: now() });
      open = undefined;
      await send();
    },
  };
}

/** Removes notices that could not be sent for 24 hours. */
function giveUp(
  { channel: { channel }, notices }: { readonly channel: AlertChannel; readonly notices: AlertNotice[] },
  { log, now, noticesEnded }: AlertDeps,
): void {
  const late = notices.findLastIndex(
    ({ alert: { openedAt, resolvedAt } }) => (resolvedAt ?? openedAt) < now() - RETRIED_FOR_MS,
  );
  const count = notices.splice(0, late + 1).length;
  if (count === 0) return;
  noticesEnded?.(channel, 'given_up');
  log.error({ event: 'alert_not_sent', channel, count }, GIVEN_UP);
}
