/** Decides in one place what users see of an application: its present values or the approved ones. */
import type { ApplicationFacts, Branding } from '../branding/branding.ts';
import type { ApplicationLook, BrandingStore } from '../branding/branding-store.ts';
import type { ReviewedValues, Verification } from './verification.ts';
import type { VerificationStore } from './verification-store.ts';

export type VisibleBranding = {
  readonly displayName: string | undefined;
  readonly branding: Branding;
  readonly facts: ApplicationFacts;
  readonly isVerified: boolean;
};

export type ShownLookDeps = {
  readonly branding: Pick<BrandingStore, 'findLook'>;
  readonly verification: Pick<VerificationStore, 'findVerification'>;
};

/** Returns what users see now; `undefined` if the application does not exist. */
export async function findVisibleBranding(
  clientId: string,
  deps: ShownLookDeps,
): Promise<VisibleBranding | undefined> {
  const [look, verification] = await Promise.all([
    deps.branding.findLook(clientId),
    deps.verification.findVerification(clientId),
  ]);
  if (verification === undefined) return undefined;
  return lookWith(look, verification, verification.approved ?? verification.present);
}

/** Returns what users would see if the present values were approved, for previews. */
export const presentLook = (look: ApplicationLook, verification: Verification): VisibleBranding =>
  lookWith(look, verification, verification.present);

// All `values` come from one read: a page never mixes approved and other values.
const lookWith = (
  { branding, facts }: ApplicationLook,
  { verifiedAt }: Verification,
  { displayName, logo, darkLogo, ...contacts }: ReviewedValues,
): VisibleBranding => ({
  displayName,
  branding: { ...branding, logo, darkLogo },
  facts: { ...facts, ...contacts },
  isVerified: verifiedAt !== undefined,
});
