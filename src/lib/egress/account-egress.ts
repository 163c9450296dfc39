import { toSlotOwner } from '../fair-slots/slot-owner.ts';
import type { Egress } from './egress.ts';

/** The user for whom requests are sent. */
export type EgressUser = {
  readonly clientId: string;
  /** Empty if no user is concerned. */
  readonly userId: string;
};

/** The user of a form. `signal` ends its requests when aborted. */
export type FormUser = EgressUser & { readonly signal?: AbortSignal };

/** Returns the same egress, whose requests count for the user and, if it is given, for the account. */
export function accountEgress(egress: Egress, user: FormUser | undefined, account?: string): Egress {
  const names = {
    ...(user !== undefined && { clientId: user.clientId, owner: toSlotOwner(user) }),
    ...(user?.signal !== undefined && { signal: user.signal }),
    ...(account !== undefined && { account }),
  };
  return {
    request: (request) => egress.request({ ...request, ...names }),
    close: async () => undefined, // others use it too
  };
}
