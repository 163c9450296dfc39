/** Apple iCloud: CalDAV with an app-specific password. Contains only the differences from other CalDAV servers. */
import type { PasswordLogin, PasswordProvider, VerifiedAccount } from '../../calendars/calendar-provider.ts';
import { accountEgress, type FormUser } from '../../lib/egress/account-egress.ts';
import { isLoopbackHost } from '../../lib/egress/private-network.ts';
import { takesAnyPassword } from '../caldav/any-password.ts';
import { type CalDavDeps, openAccount } from '../caldav/caldav-account.ts';
import { proveLogin } from '../caldav/caldav-provider.ts';
import { readCredentials } from '../caldav/credentials.ts';
import { listOrigins, type ServerAddress } from '../caldav/dav/server-address.ts';

/** `serverUrl` is where discovery starts: not a user's own host, since iCloud moves users between hosts. */
export type AppleProviderDeps = CalDavDeps & { readonly serverUrl: string };

/** Creates the adapter. Fails with ProviderError only. */
export function appleProvider(deps: AppleProviderDeps): PasswordProvider {
  const depsFor = (user: FormUser | undefined, account?: string) => ({
    ...deps,
    egress: accountEgress(deps.egress, user, account),
  });
  return {
    kind: 'apple',
    signIn: {
      method: 'password',
      // Another server in Apple's place has passwords of another form.
      ...(isICloud(deps.serverUrl) && { readPassword: appSpecificPassword }),
      verify: (login, user) => verify(login, depsFor(user)),
      takesAnyPassword: (credentials, user) => takesAnyPassword(credentials, depsFor(user)),
      remembered: (credentials) => ({ username: readCredentials(credentials).username }),
    },
    open(credentials, session) {
      return openAccount(credentials, {
        ...depsFor(session?.user, session?.accountKey),
        owner: session?.owner,
      });
    },
  };
}

async function verify(login: PasswordLogin, deps: AppleProviderDeps): Promise<VerifiedAccount> {
  const url = new URL(deps.serverUrl);
  const server: ServerAddress = {
    url,
    domain: url.hostname,
    origins: [...listOrigins(url), ...listLocalOrigins(url)],
  };
  const username = login.username.trim();
  const password = login.password.trim();
  const input = { server, username, password };
  const { credentials, proved } = await proveLogin(input, { ...deps, dns: NO_RECORDS });
  // There is only one server, so the login alone identifies the user.
  const accountId = username.toLowerCase();
  const provesOwner = proved !== undefined;
  return { accountId, identity: accountId, provesOwner, display: username, credentials };
}

const isICloud = (serverUrl: string): boolean => /(^|\.)icloud\.com$/.test(new URL(serverUrl).hostname);

/** Returns the origins of a local server (the sandbox), which serves its users at other ports. */
function listLocalOrigins({ protocol, hostname }: URL): readonly string[] {
  return isLoopbackHost(hostname) ? [`${protocol}//${hostname}:*`] : [];
}

/** For discovery: the server is known, so nothing is looked up. */
const NO_RECORDS = { resolveSrv: async () => [], resolveTxt: async () => [] };

/** Characters that copying may insert between the letters: hyphens and dashes, spaces, invisible characters. */
const SEPARATORS = /[\s\p{Pd}\p{Cf}\u2212_.]/gu;

/** Returns the password as Apple spells it, however it was typed; `undefined` if it cannot be one. */
export function appSpecificPassword(typed: string): string | undefined {
  // Full-width letters, which some keyboards produce, count as letters.
  const letters = typed.normalize('NFKC').replace(SEPARATORS, '').toLowerCase();
  if (!/^[a-z]{16}$/.test(letters)) return undefined;
  return letters.replace(/(.{4})(?=.)/g, '$1-');
}
