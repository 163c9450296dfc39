/**
 * Apple iCloud: CalDAV with an app-specific password. Its habits that differ from others' are met by
 * the client for everybody (Basic unasked, properties by name, the collection among its members); what
 * is Apple's alone is here.
 */
import type { PasswordLogin, PasswordProvider, VerifiedAccount } from '../../calendars/calendar-provider.ts';
import { isLoopbackHost } from '../../lib/egress/private-network.ts';
import { type CalDavDeps, openAccount } from '../caldav/caldav-account.ts';
import { proveLogin } from '../caldav/caldav-provider.ts';
import { readCredentials } from '../caldav/credentials.ts';
import { originsOf, type TypedServer } from '../caldav/dav/server-address.ts';
import { appSpecificPassword } from './app-specific-password.ts';

/** `serverUrl` is where discovery starts, never a user's partition: those move. */
export type AppleProviderDeps = CalDavDeps & { readonly serverUrl: string };

/** The adapter. Fails with ProviderError only. */
export function appleProvider(deps: AppleProviderDeps): PasswordProvider {
  return {
    kind: 'apple',
    signIn: {
      method: 'password',
      // Another server in Apple's place has passwords of its own making.
      ...(isApples(deps.serverUrl) && { readPassword: appSpecificPassword }),
      verify: (login) => verify(login, deps),
      remembered: (credentials) => ({ username: readCredentials(credentials).username }),
    },
    open: (credentials) => openAccount(credentials, deps),
  };
}

async function verify(login: PasswordLogin, deps: AppleProviderDeps): Promise<VerifiedAccount> {
  const url = new URL(deps.serverUrl);
  const server: TypedServer = {
    url,
    domain: url.hostname,
    origins: [...originsOf(url), ...partitionsOn(url)],
  };
  const username = login.username.trim();
  const password = login.password.trim();
  const credentials = await proveLogin({ server, username, password }, { ...deps, dns: NO_RECORDS });
  return { accountId: username.toLowerCase(), display: username, credentials };
}

const isApples = (serverUrl: string): boolean => /(^|\.)icloud\.com$/.test(new URL(serverUrl).hostname);

/** An operator's server on this machine (the sandbox) has its partitions at other ports of it. */
function partitionsOn({ protocol, hostname }: URL): readonly string[] {
  return isLoopbackHost(hostname) ? [`${protocol}//${hostname}:*`] : [];
}

/** The server is known: there is nothing to look up. */
const NO_RECORDS = { resolveSrv: async () => [], resolveTxt: async () => [] };
