/** Connections to checked addresses only: a name is resolved once, and all its addresses must be allowed. */
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { type AddressPolicy, bareHost, parseHostLiteral } from './address-policy.ts';
import { EgressError } from './egress-error.ts';
import type { HostAddress, HostLookup } from './shared-lookup.ts';

export type PinnedAgentDeps = {
  readonly lookup: HostLookup;
  /** Creates the connector; undici's by default. */
  readonly connecting?: typeof buildConnector | undefined;
};

const CONNECT_MS = 10_000;
const IDLE_MS = 10_000;
/** Limits a response's header, and its trailer. */
const MOST_HEADER_BYTES = 16_384;

export function pinnedAgent(protocol: string, policy: AddressPolicy, deps: PinnedAgentDeps): Agent {
  const { lookup, connecting = buildConnector } = deps;
  const connect = connecting({ timeout: CONNECT_MS, lookup: checkedLookup(protocol, policy, lookup) });

  return new Agent({
    maxHeaderSize: MOST_HEADER_BYTES,
    // Some servers have a process for each connection, so idle ones are closed soon.
    keepAliveMaxTimeout: IDLE_MS,
    connect(options, callback) {
      connect(options, (failure, socket) => {
        if (failure) return callback(failure, null);
        try {
          // Literal addresses are not looked up, so the connected address is checked.
          policy.check(protocol, options.hostname, socket.remoteAddress ?? '');
        } catch (refusal) {
          socket.destroy();
          return callback(refusal instanceof Error ? refusal : new Error(String(refusal)), null);
        }
        callback(null, socket);
      });
    },
  });
}

/** Throws EgressError when the URL's host is a literal that may not be reached, or a local name. */
export function checkHost(url: URL, policy: AddressPolicy): void {
  const literal = parseHostLiteral(url.hostname);
  if (literal !== undefined) policy.check(url.protocol, url.hostname, literal);
  // RFC 6761 §6.3: these are loopback whatever a resolver says.
  else if (/(^|\.)localhost$/.test(bareHost(url.hostname)))
    policy.check(url.protocol, url.hostname, '127.0.0.1');
}

function checkedLookup(protocol: string, policy: AddressPolicy, lookup: HostLookup): LookupFunction {
  const resolveAddresses = async (host: string): Promise<readonly HostAddress[]> => {
    const addresses = await lookup(host);
    // One private address is enough to refuse the name: any of the addresses may be connected to.
    for (const { address } of addresses) policy.check(protocol, host, address);
    return addresses;
  };

  return (host, options, callback) => {
    resolveAddresses(host).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined)
          callback(
            new EgressError('unreachable', `${host} has no address`, { detail: 'host_unknown' }),
            '',
            0,
          );
        else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (failure) => callback(failure, '', 0),
    );
  };
}
