/** The checks of `doctor` on the database, the clock and a running server. */
import type { Config } from '../config/config.ts';
import { masterKeyId } from '../lib/sealing.ts';
import type { MasterKeyState } from './master-key.ts';
import type { StorageReport } from './storage-report.ts';

/** A line of `doctor`: the check, and how to fix a problem. */
export type Check = {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
};

/** The stored result of a check. `since`: when it first had this status, in epoch milliseconds. */
export type KeptCheck = Check & { readonly since?: number };

const SKEW_WARN_MS = 2_000;
const SKEW_FAIL_MS = 60_000;
/** Kalends did not exist before this date, so an earlier clock is wrong. */
const LEAST_INSTANT = Date.UTC(2026, 10, 1);
const SERVER_TIMEOUT_MS = 2_000;

export function checkDatabase(report: StorageReport): Check {
  const name = 'database';
  switch (report.state) {
    case 'absent':
      return { name, status: 'warn', message: 'It does not exist; the first "kalends serve" creates it.' };
    case 'unreachable': {
      const message = `It cannot be opened: ${report.reason}. Check KALENDS_DATABASE_URL or the data folder.`;
      return { name, status: 'fail', message };
    }
    case 'reachable': {
      const engine = report.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';
      if (report.pending.length === 0) return { name, status: 'ok', message: `${engine}, up to date.` };
      const message = `${engine}, without migration(s) ${report.pending.join(', ')}: "kalends migrate" applies them, and so does a start unless KALENDS_MIGRATIONS prevents it; create a backup first.`;
      return { name, status: 'warn', message };
    }
  }
}

export function checkKeys(report: StorageReport, config: Config): Check {
  const name = 'keys';
  const { masterKey, databaseUrl, dataDir } = config;
  if (report.state === 'reachable' && report.keyProblem !== undefined) {
    return { name, status: 'fail', message: report.keyProblem };
  }
  const undone = report.state === 'reachable' ? undoneRotation(report.masterKey, config) : undefined;
  if (undone !== undefined) return { name, status: 'warn', message: undone };
  if (masterKey !== undefined)
    return { name, status: 'ok', message: 'The master key is KALENDS_MASTER_KEY.' };
  const file = `The master key is the file master.key in ${dataDir}`;
  if (databaseUrl !== undefined) {
    const message = `${file}: all instances need the same key, so set it as KALENDS_MASTER_KEY on each.`;
    return { name, status: 'warn', message };
  }
  return { name, status: 'ok', message: `${file}. Keep a copy of it, separate from the backups.` };
}

/** Returns the remaining step of a change of the master key. */
function undoneRotation(
  { keyId, next }: MasterKeyState,
  { masterKey, masterKeyPrevious }: Config,
): string | undefined {
  if (next !== undefined) {
    const since = new Date(next.startedAt).toISOString();
    return `The master key is being changed from ${keyId} to ${next.keyId} since ${since}: if "kalends keys rotate-master" is not running, run it to continue.`;
  }
  if (masterKeyPrevious === undefined || masterKey === undefined) return undefined;
  return masterKeyId(masterKey) === keyId
    ? 'KALENDS_MASTER_KEY_PREVIOUS is no longer needed: everything is sealed under KALENDS_MASTER_KEY. Remove it.'
    : 'KALENDS_MASTER_KEY is not in use yet: restart every instance with it, then run "kalends keys rotate-master".';
}

/** Checks the clock. Tokens expire by it, so all instances and the database must agree on the time. */
export function checkClock(report: StorageReport, now: number): Check {
  const name = 'clock';
  const newest = report.state === 'reachable' ? report.newestInstant : undefined;
  if (now < LEAST_INSTANT || (newest !== undefined && newest > now + SKEW_FAIL_MS)) {
    const message = `It says ${new Date(now).toISOString()}, which is in the past: set it, and keep it correct with NTP.`;
    return { name, status: 'fail', message };
  }
  const skew = report.state === 'reachable' ? report.clockSkew : 0;
  if (Math.abs(skew) < SKEW_WARN_MS) return { name, status: 'ok', message: new Date(now).toISOString() };
  const seconds = Math.round(Math.abs(skew) / 1000);
  const message = `The database's clock is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} this one: keep both correct with NTP.`;
  return { name, status: Math.abs(skew) < SKEW_FAIL_MS ? 'warn' : 'fail', message };
}

/** Checks whether a server of this deployment responds at the configured address. */
export async function checkServer({ host, port }: Config): Promise<Check> {
  const name = 'server';
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const address = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
  try {
    const answer = await fetch(`${address}/health`, { signal: AbortSignal.timeout(SERVER_TIMEOUT_MS) });
    const body: unknown = await answer.json();
    if (answer.ok && typeof body === 'object' && body !== null && 'status' in body && body.status === 'ok') {
      return { name, status: 'ok', message: `Kalends responds at ${address}.` };
    }
    const message = `Another program responds at ${address} (${answer.status}): stop it, or set another KALENDS_PORT.`;
    return { name, status: 'fail', message };
  } catch (reason) {
    if (reason instanceof SyntaxError) {
      const message = `Another program responds at ${address}: stop it, or set another KALENDS_PORT.`;
      return { name, status: 'fail', message };
    }
    return { name, status: 'ok', message: `Nothing responds at ${address}: start it with "kalends serve".` };
  }
}
