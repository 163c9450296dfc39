/** The addresses of a deployment, which its server stores for commands that run with fewer settings. */
import { type Config, loadConfig } from './config.ts';

/** `dashboardUrl` is undefined if the dashboard is off. Both are origins. */
export type Addresses = Pick<Config, 'url' | 'dashboardUrl'>;

type Environment = Parameters<typeof loadConfig>[0];

const isSet = ({ settings }: Config, setting: string): boolean =>
  settings.some(({ name, from }) => name === setting && (from === 'environment' || from === 'file'));

/** Returns whether the environment has the public address. A host alone is not one: images set it. */
export const setsAddress = (config: Config): boolean =>
  isSet(config, 'KALENDS_URL') || isSet(config, 'KALENDS_PORT');

/**
 * Returns the configuration with the stored addresses for those that `env` does not set. `isDefault` if neither has the
 * public address. Throws ConfigError.
 */
export function loadWithAddresses(
  env: Environment,
  stored: Addresses | undefined,
): { readonly config: Config; readonly isDefault: boolean } {
  const config = loadConfig(env);
  if (stored === undefined) return { config, isDefault: !setsAddress(config) };
  const ownUrl = setsAddress(config) ? undefined : { KALENDS_URL: stored.url };
  const isSameServer = ownUrl !== undefined || config.url === stored.url;
  const dashboard = isSameServer ? dashboardSettings(config, stored) : {};
  return { config: loadConfig({ ...env, ...ownUrl, ...dashboard }), isDefault: false };
}

function dashboardSettings(config: Config, { url, dashboardUrl }: Addresses): Environment {
  if (isSet(config, 'KALENDS_DASHBOARD_URL') || dashboardUrl === url) return {};
  if (dashboardUrl !== undefined) return { KALENDS_DASHBOARD_URL: dashboardUrl };
  return isSet(config, 'KALENDS_DASHBOARD') ? {} : { KALENDS_DASHBOARD: 'off' };
}
