/** `--verified`: the operator's approval without a submission. */

import { verifyNow, withdrawVerification } from '../verification/reviews.ts';
import type { Verification } from '../verification/verification.ts';
import type { VerificationStore } from '../verification/verification-store.ts';
import type { CommandOption, Input } from './command.ts';
import { oneOf } from './option-values.ts';

export const VERIFIED: CommandOption = {
  name: 'verified',
  value: 'on|off',
  doc: '`on` approves what it has set now, without a submission; `off` withdraws that. Matters where KALENDS_OPERATOR_NAME is set.',
};

/** `undefined` where the option is absent. Throws a usage error for another word. */
export function readVerified(options: Input['options']): boolean | undefined {
  const value = oneOf(options, 'verified', ['on', 'off']);
  return value === undefined ? undefined : value === 'on';
}

type VerifiedDeps = { readonly verification: VerificationStore; readonly now: () => number };

/** Verifies the application as it is now, or no longer; with `undefined`, and where it is so already, does nothing. */
export async function setVerified(
  clientId: string,
  isVerified: boolean | undefined,
  deps: VerifiedDeps,
): Promise<void> {
  if (isVerified === undefined) return;
  const input = { clientId, note: `--verified ${isVerified ? 'on' : 'off'}` };
  if (isVerified) await verifyNow(input, deps);
  else if ((await deps.verification.findVerification(clientId))?.verifiedAt !== undefined)
    await withdrawVerification(input, deps);
}

/** The sentence that a change of reviewed values calls for, where users do not see it yet. */
export const unreviewedNotices = ({ clientId, status, approved }: Verification): string[] =>
  approved === undefined || status === 'approved'
    ? []
    : [
        `Its users see the approved values until the new ones are approved: kalends client verification submit ${clientId}, or client update ${clientId} --verified on.`,
      ];
