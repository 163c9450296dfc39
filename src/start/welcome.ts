/** The output of `serve` once it listens. */
import type { Config } from '../config/config.ts';
import { isLoopbackHost } from '../lib/egress/private-network.ts';
import type { Log } from '../lib/log.ts';
import { COMMAND, version } from '../lib/version.ts';
import { joinUrl, makeSetupLink, onLocalhost } from '../people/invitations.ts';
import type { Stores } from './open-storage.ts';

/** Returns the start message as an object, for programs. */
export function startDocument({ url, role, dataDir }: Config, { db, created }: Stores, setup: Setup) {
  return {
    version: version(),
    url,
    role,
    database: db.dialect.engine,
    dataDir,
    created,
    ...(setup?.url && { setupUrl: setup.url }),
  };
}

/** The registration of the first owner. Without `url`, `kalends admin invite` creates the link. */
type Setup = { readonly url?: string } | undefined;

/** Returns undefined if a member exists. Creates a link only if the output is unlikely to reach a shared log. */
export async function prepareSetup({ dashboardUrl, role, url }: Config, stores: Stores): Promise<Setup> {
  if (dashboardUrl === undefined || role === 'worker') return undefined;
  if (!process.stdout.isTTY && !isLoopbackHost(new URL(url).hostname))
    return (await stores.people.hasPeople()) ? undefined : {};
  const link = await makeSetupLink({ ...stores, by: undefined });
  return link && { url: joinUrl(onLocalhost(dashboardUrl), link.token) };
}

/** Returns the start message for people, without a line feed at the end. */
export function welcome(config: Config, { db, created }: Stores, setup: Setup): string {
  const data = db.dialect.engine === 'sqlite' ? `SQLite in ${config.dataDir}` : 'PostgreSQL';
  const lines = [
    config.role === 'worker'
      ? `Kalends ${version()} runs jobs.`
      : `Kalends ${version()} is ready at ${config.url}`,
    `  Data     ${data}${created ? ' (created now, with its keys)' : ''}`,
  ];
  if (config.role !== 'worker')
    lines.push(`  Health   ${config.url}/health`, `  Learn    ${config.url}/docs`);
  if (setup?.url !== undefined)
    lines.push(`  Set up   ${setup.url}`, '           once, within 30 minutes: the dashboard’s first owner');
  else if (setup !== undefined)
    lines.push(
      `  Set up   ${COMMAND} admin invite`,
      '           creates the link for the dashboard’s first owner',
    );
  else if (config.role !== 'worker' && config.dashboardUrl !== undefined)
    lines.push(`  Manage   ${onLocalhost(config.dashboardUrl)}/dashboard`);
  const { google, microsoft } = config;
  const missing = [google.app ? '' : 'Google', microsoft.app ? '' : 'Microsoft'].filter(
    (name) => name !== '',
  );
  if (created && missing.length > 0) {
    lines.push(
      `  Not yet  ${missing.join(' and ')}: ${COMMAND} setup ${missing[0]?.toLowerCase()} shows how; ${COMMAND} sandbox simulates all four`,
    );
  }
  if (created) {
    lines.push(
      '  Next     create an application, in another terminal:',
      `           ${COMMAND} client create --name "My app" --display-name "My app" \\`,
      '             --redirect-uri http://localhost:3000/callback',
    );
  }
  return lines.join('\n');
}

const WARNED_SKEW_SECONDS = 5;

/** Logs configuration warnings, once for each start. */
export function warnAtStart(config: Config, { exposed, clockOffset }: Stores, log: Log): void {
  const { url, privateNetwork } = config;
  if (!url.startsWith('https:') && privateNetwork.mode !== 'loopback')
    log.warn(
      { event: 'url_not_https', url },
      'KALENDS_URL is not https: tokens and passwords cross the network unencrypted',
    );
  const seconds = Math.round(clockOffset() / 1000);
  if (Math.abs(seconds) >= WARNED_SKEW_SECONDS)
    log.warn(
      { event: 'clock_skew', seconds },
      'The clock of this machine differs from that of PostgreSQL, which is used instead',
    );
  if (exposed.length > 0)
    log.warn(
      { event: 'data_folder_exposed', paths: exposed },
      'Other users of this machine can read the data folder: run chmod o-rwx on these paths',
    );
  for (const unknown of config.unknownNames)
    log.warn({ event: 'setting_unknown', ...unknown }, 'The environment has an unknown setting');
}
