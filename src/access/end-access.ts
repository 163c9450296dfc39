/** Ends a disconnected account's access at the provider. It is a job, so disconnecting waits for no provider. */
import { ProviderError } from '../calendars/provider-error.ts';
import { failureOfError, type SyncFailure } from '../calendars/sync-failure.ts';
import type { EndedAccess, EndedAccessStore } from './ended-access-store.ts';
import { parseOAuthCredentials } from './oauth-credentials.ts';
import type { TokenRenewalDeps } from './token-renewal.ts';

export type EndAccessDeps = Pick<TokenRenewalDeps, 'providers' | 'apps' | 'log' | 'now'> & {
  readonly endedAccess: EndedAccessStore;
};

/** After a day the access is left to expire, and its credentials are deleted. */
const GIVE_UP_MS = 24 * 3_600_000;

/** Returns a failure if the job must be tried again later. */
export async function endAccess(accountKey: string, deps: EndAccessDeps): Promise<SyncFailure | undefined> {
  const access = await deps.endedAccess.findEndedAccess(accountKey);
  if (access === undefined) return undefined;
  const fields = { clientId: access.clientId, provider: access.provider };
  try {
    await endAtProvider(access, deps);
  } catch (err) {
    const refusal = err instanceof ProviderError ? err : undefined;
    // The access has already ended.
    if (refusal?.kind !== 'unauthorized') {
      if (deps.now() - access.endedAt < GIVE_UP_MS) {
        if (refusal === undefined) throw err;
        return failureOfError(refusal, deps.now());
      }
      deps.log.warn(
        { event: 'access_not_ended', ...fields, err },
        'Access could not be revoked at the provider and was given up',
      );
    }
  }
  await deps.endedAccess.deleteEndedAccess(accountKey);
  return undefined;
}

async function endAtProvider(access: EndedAccess, { endedAccess, providers, apps, log }: EndAccessDeps) {
  const { clientId, provider } = access;
  const signIn = providers[provider]?.signIn;
  if (signIn?.method !== 'redirect') return;
  const credentials = parseOAuthCredentials(access.credentials);
  const { appClientId } = credentials;
  const grantOf = (id: string) => signIn.grantOf?.(id) ?? id;
  // Google ends everything that a user granted, so the access stays while another account here uses it.
  const twins = await endedAccess.credentialsOfSameAccount(access);
  if (twins.some((twin) => grantOf(parseOAuthCredentials(twin).appClientId) === grantOf(appClientId))) return;
  const app = await apps.findIssuer(clientId, provider, appClientId);
  if (app === undefined) {
    log.warn(
      { event: 'access_unendable', clientId, provider },
      'Access cannot be revoked at the provider: its provider app is no longer set up',
    );
    return;
  }
  await signIn.revoke(credentials, { ...app, user: { clientId, userId: '' } });
  log.info({ event: 'access_ended', clientId, provider }, 'Access was revoked at the provider');
}
