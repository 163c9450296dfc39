/** The checks of `doctor` on the disk and on the certificates of the configured addresses. */
import { statfs } from 'node:fs/promises';
import { connect, type PeerCertificate } from 'node:tls';
import type { Config } from '../config/config.ts';
import type { Check } from './doctor-checks.ts';

const LEAST_FREE_SHARE = 0.1;
const CONNECT_MS = 5_000;
const DAY_MS = 24 * 3_600_000;
/** The times before an expiry, of a certificate or an admin key, when its check warns and fails. */
export const WARN_MS = 14 * DAY_MS;
export const FAIL_MS = 3 * DAY_MS;

/** Warns if the disk of the SQLite database is nearly full. Returns nothing for PostgreSQL, whose disk is elsewhere. */
export async function checkDisk(
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  databaseBytes = 0,
): Promise<Check[]> {
  if (databaseUrl !== undefined) return [];
  const disk = await statfs(dataDir).catch(() => undefined);
  if (disk === undefined) return [];
  const [free, total] = [disk.bavail * disk.bsize, disk.blocks * disk.bsize];
  const message = `${Math.round(free / 1e6)} MB of ${Math.round(total / 1e6)} MB are free on the disk of the data folder`;
  const name = 'disk';
  if (free >= total * LEAST_FREE_SHARE && free >= 2 * databaseBytes)
    return [{ name, status: 'ok', message: `${message}.` }];
  return [{ name, status: 'warn', message: `${message}: free space, or move the data folder.` }];
}

/** Checks when the certificates of the https addresses expire. An address that cannot be reached from here is OK. */
export async function checkCertificates(
  { url, dashboardUrl = url }: Pick<Config, 'url' | 'dashboardUrl'>,
  now: number,
): Promise<Check[]> {
  const origins = [...new Set([url, dashboardUrl])].filter((origin) => origin.startsWith('https:'));
  const checks = await Promise.all(origins.map((origin) => checkCertificate(new URL(origin), now)));
  const worst = ['fail', 'warn', 'ok'].flatMap((status) => checks.filter((check) => check.status === status));
  return worst[0] === undefined
    ? []
    : [
        {
          name: 'certificate',
          status: worst[0].status,
          message: checks.map(({ message }) => message).join(' '),
        },
      ];
}

async function checkCertificate({ hostname, port, host }: URL, now: number): Promise<Omit<Check, 'name'>> {
  const validTo = await readExpiry(hostname.replace(/^\[|\]$/g, ''), Number(port || 443));
  if (validTo === undefined)
    return { status: 'ok', message: `The certificate of ${host} cannot be read from here.` };
  const left = validTo - now;
  const message = `The certificate of ${host} ${left > 0 ? 'expires' : 'expired'} at ${new Date(validTo).toISOString()}`;
  if (left >= WARN_MS) return { status: 'ok', message: `${message}.` };
  return { status: left < FAIL_MS ? 'fail' : 'warn', message: `${message}: renew it.` };
}

/** Returns the expiry in epoch milliseconds. Nothing is sent, so an invalid certificate is read too. */
function readExpiry(host: string, port: number): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const options = { host, port, rejectUnauthorized: false, timeout: CONNECT_MS };
  const socket = connect({ ...options, ...(/[^\d.:]/.test(host) && { servername: host }) }, () => {
    const { valid_to }: Partial<PeerCertificate> = socket.getPeerCertificate();
    const at = Date.parse(valid_to ?? '');
    resolve(Number.isNaN(at) ? undefined : at);
    socket.destroy();
  });
  socket.on('error', () => resolve(undefined));
  socket.on('close', () => resolve(undefined));
  socket.on('timeout', () => socket.destroy());
  return promise;
}
