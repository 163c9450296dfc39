import type { Egress } from './egress.ts';

/** The same egress, whose requests name the account that they are for. */
export function accountEgress(egress: Egress, account: string | undefined): Egress {
  if (account === undefined) return egress;
  return {
    request: (request) => egress.request({ ...request, account }),
    close: async () => undefined, // others use it too
  };
}
