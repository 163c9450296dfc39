/** The checks of `doctor` that need only the configuration and its files. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';

import { APP_KINDS, type AppKind } from '../access/provider-apps.ts';
import type { Config } from '../config/config.ts';
import { isLoopbackHost } from '../lib/egress/private-network.ts';
import { exposedIn } from '../lib/private-folder.ts';
import type { Check } from './doctor-checks.ts';

/** Checks that there are no unknown settings; all others could be read. */
export function checkNames({ unknownNames }: Config): Check {
  const name = 'configuration';
  if (unknownNames.length === 0) return { name, status: 'ok', message: 'All settings are readable.' };
  const descriptions = unknownNames.map((one) => one.name + (one.nearest ? ` (perhaps ${one.nearest})` : ''));
  return {
    name,
    status: 'warn',
    message: `These settings are unknown: ${descriptions.join(', ')}. Correct or remove them.`,
  };
}

/** Checks that the data folder is writable, its key file private, and nothing in it readable by others. */
export async function checkFiles({ dataDir, masterKey }: Config): Promise<Check[]> {
  const name = 'data folder';
  if (!existsSync(dataDir)) {
    const message = `${dataDir} does not exist yet; the first "kalends serve" creates it.`;
    return [{ name, status: 'warn', message }];
  }
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    const message = `${dataDir} is not writable: give it to the user that runs Kalends.`;
    return [{ name, status: 'fail', message }];
  }
  const keyFile = path.join(dataDir, 'master.key');
  if (masterKey === undefined && existsSync(keyFile) && (statSync(keyFile).mode & 0o007) !== 0) {
    const message = `Other users can read ${keyFile}: run "chmod 600 ${keyFile}".`;
    return [{ name, status: 'fail', message }];
  }
  const [first, ...more] = await exposedIn(dataDir);
  if (first !== undefined) {
    const others = more.length === 0 ? '' : ` and ${more.length} more there`;
    const message = `Other users can read ${first}${others}: run "chmod -R o-rwx ${dataDir}", or let "kalends serve" do it as the owner of these files.`;
    return [{ name, status: 'warn', message }];
  }
  return [{ name, status: 'ok', message: `${dataDir} can be read and written.` }];
}

/** Checks which private addresses outgoing requests may reach. */
export function checkEgress({ privateNetwork, url }: Config): Check {
  const name = 'outgoing requests';
  const isPublic = !isLoopbackHost(new URL(url).hostname);
  switch (privateNetwork.mode) {
    case 'deny':
      return { name, status: 'ok', message: 'Only public addresses over https are allowed.' };
    case 'loopback': {
      const message =
        'Public addresses are allowed, and calendar servers on this machine, also over plain http.';
      if (!isPublic) return { name, status: 'ok', message };
      const advice = `${message} Users of a public instance could reach services of this machine: set KALENDS_PRIVATE_NETWORK=deny.`;
      return { name, status: 'warn', message: advice };
    }
    case 'hosts': {
      const message = `Public addresses are allowed, and ${privateNetwork.hosts.join(', ')}, also over plain http.`;
      return { name, status: 'ok', message };
    }
    case 'allow': {
      const message =
        'All private addresses are allowed: any person who can connect a calendar can reach your whole network. List the hosts in KALENDS_PRIVATE_NETWORK instead.';
      return { name, status: 'warn', message };
    }
  }
}

/** Checks the address at which browsers and providers reach Kalends. */
export function checkUrl({ url, host }: Config, isSet: boolean): Check {
  const name = 'public address';
  const { protocol, hostname } = new URL(url);
  if (!isSet && !isLoopbackHost(host)) {
    const message = `Kalends listens beyond this machine (${host}) but KALENDS_URL is not set: set it to the address that browsers use.`;
    return { name, status: 'fail', message };
  }
  if (protocol === 'http:' && !isLoopbackHost(hostname)) {
    const message = `${url} is plain http: tokens and passwords cross the network unencrypted. Put a proxy with TLS in front (docs/operations.md#reverse-proxy).`;
    return { name, status: 'warn', message };
  }
  const message =
    protocol === 'https:' ? url : `${url} is for this machine only, which is fine for development.`;
  return { name, status: 'ok', message };
}

/** Checks the proxy setting. Without it, every caller behind a proxy has the proxy's address. */
export function checkProxy({ url, trustProxy }: Config): Check {
  const name = 'proxy';
  if (trustProxy === undefined && new URL(url).protocol === 'https:') {
    const message =
      'The address is https, so there is a proxy in front, but no proxy is trusted: limits count all callers as one. Set KALENDS_TRUST_PROXY=1.';
    return { name, status: 'warn', message };
  }
  const trusted = typeof trustProxy === 'number' ? `${trustProxy} in front` : trustProxy?.join(', ');
  return { name, status: 'ok', message: `Trusted: ${trusted ?? 'none'}.` };
}

export function providerAddresses(config: Config): string[] {
  return APP_KINDS.map((kind) => providerAddress(kind, config));
}

export function providerAddress(kind: AppKind, { url }: Pick<Config, 'url'>): string {
  return `${url}/connect/${kind}/callback`;
}

export function checkAddresses(config: Config): Check {
  const message = `Register these redirect URIs at Google and Microsoft: ${providerAddresses(config).join(' and ')}`;
  return { name: 'providers', status: 'ok', message };
}
