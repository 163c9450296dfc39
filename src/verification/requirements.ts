/** The requirements for submitting an application (docs/wire.md 5.3). */
import { isLoopbackHost } from '../lib/egress/private-network.ts';
import type { Verification } from './verification.ts';

export type MissingValue = {
  readonly field: 'displayName' | 'applicationUrl' | 'redirectUri' | 'support';
  readonly sentence: string;
};

/** Returns everything that prevents a submission; empty if nothing does. A logo is optional. */
export function missingForReview({ present, redirectUri }: Verification): MissingValue[] {
  const missing: MissingValue[] = [];
  if (present.displayName === undefined)
    missing.push({
      field: 'displayName',
      sentence: 'Set a display name: users know the application by it.',
    });
  if (present.applicationUrl === undefined)
    missing.push({
      field: 'applicationUrl',
      sentence: 'Set the application URL: the https page of the application.',
    });
  if (!isPublic(redirectUri))
    missing.push({
      field: 'redirectUri',
      sentence: 'Set a redirect URI that uses https and is not on this machine.',
    });
  if (present.supportEmail === undefined && present.supportUrl === undefined)
    missing.push({
      field: 'support',
      sentence: 'Set a support email or a support URL for users who need help.',
    });
  return missing;
}

function isPublic(redirectUri: string): boolean {
  const url = URL.parse(redirectUri);
  if (url?.protocol !== 'https:') return false;
  const host = url.hostname.replace(/\.$/, '');
  // Browsers reach this machine also at the unspecified addresses.
  return !isLoopbackHost(host) && host !== '0.0.0.0' && host !== '[::]';
}
