/** How often the pages may be used: the limits of docs/operations.md. */
import ipaddr from 'ipaddr.js';

import { attemptLimit, type RefundableLimit } from '../../http/attempt-limit.ts';
import type { ConnectAttempts } from './connect-deps.ts';

const PASSWORD_WINDOW_SECONDS = 600;

/** The limits as the configuration has them. */
export function connectAttempts(limits: {
  readonly authorizePerMinute: number;
  readonly passwordsPerTransaction: number;
  readonly passwordsPerAddress: number;
}): ConnectAttempts {
  return {
    authorize: byAddress(attemptLimit(limits.authorizePerMinute, 60)),
    passwordsInTransaction: attemptLimit(limits.passwordsPerTransaction, PASSWORD_WINDOW_SECONDS),
    passwordsFromAddress: byAddress(attemptLimit(limits.passwordsPerAddress, PASSWORD_WINDOW_SECONDS)),
  };
}

function byAddress(limit: RefundableLimit): RefundableLimit {
  const count = (address: string) => limit(addressKey(address));
  return Object.assign(count, { refund: (address: string) => limit.refund(addressKey(address)) });
}

/** What counts as one address: an IPv6 host has a whole /64 to choose from. */
function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return Buffer.from(parsed.toByteArray().slice(0, 8)).toString('hex');
}
