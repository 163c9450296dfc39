/** `--verified`: approval by the operator without a submission. */
import { verifyNow, withdrawVerification } from '../verification/reviews.ts';
import type { Verification } from '../verification/verification.ts';
import type { VerificationStore } from '../verification/verification-store.ts';
import type { CommandOption, Input } from './command.ts';
import { choiceIn } from './option-values.ts';

export const VERIFIED: CommandOption = {
  name: 'verified',
  value: 'on|off',
  doc: '`on` approves the current values without a submission; `off` withdraws the verification. Has an effect if KALENDS_OPERATOR_NAME is set.',
};

/** Returns the value of `--verified`, `undefined` if it is absent. Throws a usage error for another word. */
export function readVerified(options: Input['options']): boolean | undefined {
  const value = choiceIn(options, 'verified', ['on', 'off']);
  return value === undefined ? undefined : value === 'on';
}

type VerifiedDeps = { readonly verification: VerificationStore; readonly now: () => number };

/** Verifies the application or withdraws its verification. Does nothing for `undefined`. */
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

/** Returns a notice if reviewed values changed that users do not see yet. */
export const unreviewedNotices = ({ clientId, status, approved }: Verification): string[] =>
  approved === undefined || status === 'approved'
    ? []
    : [
        `Users see the approved values until the new ones are approved: kalends client verification submit ${clientId}, or client update ${clientId} --verified on.`,
      ];
