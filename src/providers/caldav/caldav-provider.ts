/** Any CalDAV server (RFC 4791), found from what the user typed and proved with the password. */
import type {
  PasswordLogin,
  PasswordProvider,
  ProviderCredentials,
  VerifiedAccount,
} from '../../calendars/calendar-provider.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { type CalDavDeps, listCalendars, openAccount } from './caldav-account.ts';
import { type CalDavCredentials, readCredentials } from './credentials.ts';
import { discover } from './dav/discover.ts';
import { readTypedServer } from './dav/server-address.ts';
import { type ServiceDns, systemDns } from './dav/service-records.ts';

/** `dns` answers the service records of discovery. */
export type CalDavProviderDeps = CalDavDeps & { readonly dns?: ServiceDns };

export function caldavProvider(deps: CalDavProviderDeps): PasswordProvider {
  const dns = deps.dns ?? systemDns();
  return {
    kind: 'caldav',
    signIn: { method: 'password', verify: (login) => verify(login, { ...deps, dns }), remembered },
    open: (credentials) => openAccount(credentials, deps),
  };
}

async function verify(login: PasswordLogin, deps: Required<CalDavProviderDeps>): Promise<VerifiedAccount> {
  // A user name that is an e-mail address names a server as well as a typed one does.
  const server = readTypedServer(login.server || login.username);
  const credentials = await proveLogin({ ...login, server }, deps);
  const principal = new URL(credentials.principal);
  return {
    accountId: principal.href,
    display: `${login.username} (${principal.host})`,
    credentials,
  };
}

/** The principal stands for whatever was typed: discovery that begins there ends there. */
function remembered(credentials: ProviderCredentials): Omit<PasswordLogin, 'password'> {
  const { username, principal } = readCredentials(credentials);
  return { username, server: principal };
}

/** Finds the calendars and lists them: a login that shows none is refused as `no_calendars`. */
export async function proveLogin(
  login: Parameters<typeof discover>[0],
  deps: CalDavDeps & { readonly dns: ServiceDns },
): Promise<CalDavCredentials & ProviderCredentials> {
  const { username, password } = login;
  const { principal, homes, origins } = await discover(login, deps);
  const calendars = await listCalendars(
    { egress: deps.egress, username, password, origins },
    homes,
    deps.log,
  );
  if (calendars.length === 0)
    throw new ProviderError('no_calendars', 'This account has no calendar for events');
  return { username, password, principal: principal.href, homes: homes.map(({ href }) => href), origins };
}
