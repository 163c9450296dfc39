/** Hosts that fail on this machine, whatever the network around it does. */
import type { HostLookup } from '../../src/lib/egress/shared-lookup.ts';

/** A host that does not exist. A label has at most 63 octets (RFC 1035 §2.3.4), so no name server is asked. */
export const UNKNOWN_HOST = `${'n'.repeat(64)}.invalid`;

/** Finds no address of any host. */
export const noAddresses: HostLookup = async () => [];
