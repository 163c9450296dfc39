/** Any CalDAV server (RFC 4791), and calendars that are read from their own address without a sign-in. */

import { createHash } from 'node:crypto';
import type {
  PasswordLogin,
  PasswordProvider,
  ProviderCredentials,
  VerifiedAccount,
} from '../../calendars/calendar-provider.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { accountEgress, type FormUser } from '../../lib/egress/account-egress.ts';
import { countedEgress } from '../../lib/egress/counted-egress.ts';
import { takesAnyPassword } from './any-password.ts';
import { type CalDavDeps, listCalendars, openAccount, readLimits } from './caldav-account.ts';
import { type CalDavCredentials, readCredentials } from './credentials.ts';
import { davSession } from './dav/dav-session.ts';
import { type DiscoveryInput, discover } from './dav/discover.ts';
import { lastSegment } from './dav/href.ts';
import { principalText } from './dav/principal.ts';
import { readServerAddress, serverOfMail } from './dav/server-address.ts';
import { type ServiceDns, systemDns } from './dav/service-records.ts';
import { linkFeed, openFeed } from './feed/feed-account.ts';
import { readFeedCredentials } from './feed/feed-credentials.ts';

export type CalDavProviderDeps = CalDavDeps & {
  /** Looks up the service records of discovery; the system's own by default. */
  readonly dns?: ServiceDns;
  /** 32 bytes of this instance, to name calendars by address. Without it none can be linked. */
  readonly feedKey?: Uint8Array;
};

/** Creates the adapter. Fails with ProviderError only. */
export function caldavProvider(deps: CalDavProviderDeps): PasswordProvider {
  const dns = deps.dns ?? systemDns();
  const { feedKey } = deps;
  const depsFor = (user: FormUser | undefined, account?: string) => ({
    ...{ ...deps, dns },
    egress: accountEgress(deps.egress, user, account),
  });
  return {
    kind: 'caldav',
    signIn: {
      method: 'password',
      verify: (login, user) => verify(login, depsFor(user)),
      ...(feedKey && {
        verifyAddress: (address: string, user?: FormUser) =>
          linkFeed(address, feedKey, limitRequests(depsFor(user))),
      }),
      takesAnyPassword: async (credentials, user) =>
        readFeedCredentials(credentials) !== undefined || takesAnyPassword(credentials, depsFor(user)),
      remembered,
    },
    open(credentials, session) {
      const feed = readFeedCredentials(credentials);
      const account = { ...depsFor(session?.user, session?.accountKey), owner: session?.owner };
      return feed === undefined ? openAccount(credentials, account) : openFeed(feed, account);
    },
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

/** Returns the principal as the server: discovery from there ends there. */
function remembered(credentials: ProviderCredentials): Omit<PasswordLogin, 'password'> | undefined {
  if (readFeedCredentials(credentials) !== undefined) return undefined;
  const { username, principal } = readCredentials(credentials);
  return { username, server: principal };
}

type ProvedLogin = ProvenBy & { readonly credentials: CalDavCredentials & ProviderCredentials };

/** Finds and lists the calendars within the request limit of one form. Fails as `no_calendars` if there are none. */
export async function proveLogin(
  login: DiscoveryInput,
  instance: CalDavDeps & { readonly dns: ServiceDns },
): Promise<ProvedLogin> {
  const { username, password } = login;
  const deps = { ...limitRequests(instance), mostHomes: readLimits(instance).calendarHomes };
  const { principal, proved, isNamed, homes, origins } = await discover(login, deps);
  const session = davSession({ username, password, origins }, deps);
  const calendars = await listCalendars(session, { principal, homes }, deps);
  if (calendars.length === 0)
    throw new ProviderError('no_calendars', 'This account has no calendar for events');
  const hrefs = homes.map(({ href }) => href);
  const credentials = { username, password, principal: principal.href, homes: hrefs, origins };
  return { credentials, home: homes[0] ?? principal, proved, isNamed };
}

const limitRequests = <Deps extends CalDavDeps>(deps: Deps): Deps => ({
  ...deps,
  egress: countedEgress(deps.egress, readLimits(deps).requestsPerForm),
});

/** The parts of the server that accepted a login. */
export type ProvenBy = {
  /** The first of the user's calendar homes. */
  readonly home: URL;
  /** The principal that responded and named itself; `undefined` if the server knows none. */
  readonly proved: URL | undefined;
  /** Whether the server named it for this login. */
  readonly isNamed: boolean;
};

/**
 * Returns the same identity for two logins of the same user of a server. It is the principal, if that is plainly the
 * user's own; otherwise the user name follows it, since some servers name one principal for everybody. Without a
 * principal it is made of the home and the user name.
 */
export function caldavIdentity({
  username,
  home,
  proved,
  isNamed,
}: ProvenBy & { readonly username: string }): string {
  const user = username.trim().toLowerCase();
  if (proved === undefined) return `home ${principalText(home)} ${bounded(user)}`;
  const principal = principalText(proved);
  return isNamed && isOwn(proved, user) ? principal : `${principal} ${bounded(user)}`;
}

/** Returns whether the principal's name is the user name, or its part before the @. */
function isOwn(principal: URL, user: string): boolean {
  const name = lastSegment(principal.pathname)?.toLowerCase();
  return name !== undefined && (name === user || name === user.split('@')[0]);
}

/** Longer than any user name on a server. */
const LONGEST_USER = 256;

/** Identities are indexed, so a long user name is replaced by its hash. */
const bounded = (user: string): string =>
  user.length <= LONGEST_USER ? user : `sha256:${createHash('sha256').update(user).digest('base64url')}`;
