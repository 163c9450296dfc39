/** Any CalDAV server (RFC 4791): found from the address that the user typed, and signed in to with a password. */
import type {
  PasswordLogin,
  PasswordProvider,
  ProviderCredentials,
  VerifiedAccount,
} from '../../calendars/calendar-provider.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { countedEgress } from '../../lib/egress/counted-egress.ts';
import { takesAnyPassword } from './any-password.ts';
import { type CalDavDeps, limitsOf, listCalendars, openAccount } from './caldav-account.ts';
import { type CalDavCredentials, readCredentials } from './credentials.ts';
import { davSession } from './dav/dav-session.ts';
import { type DiscoveryInput, discover } from './dav/discover.ts';
import { readServerAddress, serverOfMail } from './dav/server-address.ts';
import { type ServiceDns, systemDns } from './dav/service-records.ts';
import { caldavIdentity, type ProvenBy } from './identity.ts';

/** `dns` looks up the service records of discovery; the system's own by default. */
export type CalDavProviderDeps = CalDavDeps & { readonly dns?: ServiceDns };

/** The adapter. Fails with ProviderError only. */
export function caldavProvider(deps: CalDavProviderDeps): PasswordProvider {
  const dns = deps.dns ?? systemDns();
  return {
    kind: 'caldav',
    signIn: {
      method: 'password',
      verify: (login) => verify(login, { ...deps, dns }),
      takesAnyPassword: (credentials) => takesAnyPassword(credentials, deps),
      remembered,
    },
    open: (credentials, session) => openAccount(credentials, { ...deps, owner: session?.owner }),
  };
}

async function verify(
  login: PasswordLogin,
  deps: CalDavDeps & { readonly dns: ServiceDns },
): Promise<VerifiedAccount> {
  const server = login.server ? readServerAddress(login.server) : serverOfMail(login.username);
  const { credentials, ...proof } = await proveLogin({ ...login, server }, deps);
  const principal = new URL(credentials.principal);
  return {
    accountId: principal.href,
    identity: caldavIdentity({ username: login.username, ...proof }),
    provesOwner: proof.proved !== undefined,
    display: `${login.username} (${principal.host})`,
    credentials,
  };
}

/** The principal in place of the typed server: discovery that begins there ends there. */
function remembered(credentials: ProviderCredentials): Omit<PasswordLogin, 'password'> {
  const { username, principal } = readCredentials(credentials);
  return { username, server: principal };
}

/** A login that its server took, with what it was proved by. */
type ProvedLogin = ProvenBy & { readonly credentials: CalDavCredentials & ProviderCredentials };

/**
 * Finds the calendars and lists them, with no more requests than one form may send. Fails as `no_calendars` when there are
 * none for events.
 */
export async function proveLogin(
  login: DiscoveryInput,
  instance: CalDavDeps & { readonly dns: ServiceDns },
): Promise<ProvedLogin> {
  const { username, password } = login;
  const { requestsPerForm, calendarHomes: mostHomes } = limitsOf(instance);
  const deps = { ...instance, egress: countedEgress(instance.egress, requestsPerForm), mostHomes };
  const { principal, proved, isNamed, homes, origins } = await discover(login, deps);
  const calendars = await listCalendars(davSession({ username, password, origins }, deps), homes, deps);
  if (calendars.length === 0)
    throw new ProviderError('no_calendars', 'This account has no calendar for events');
  const hrefs = homes.map(({ href }) => href);
  const credentials = { username, password, principal: principal.href, homes: hrefs, origins };
  return { credentials, home: homes[0] ?? principal, proved, isNamed };
}
