/** The changes to accounts by administrators and by the passing of time. */
import { accountOf, calendarById } from './manual-calendars.ts';
import type { ManualChangesDeps, MicrosoftManualChanges } from './manual-changes.ts';

type ManualAdministration = Pick<
  MicrosoftManualChanges,
  'block' | 'demandAdminConsent' | 'forgetSyncTokens' | 'giveAdminConsent' | 'revokeAccess' | 'sendLifecycle'
>;

export function manualAdministration({
  directory,
  deltas,
  tokens,
  subscriptions,
}: ManualChangesDeps): ManualAdministration {
  return {
    async revokeAccess(email) {
      const account = accountOf(directory, email);
      tokens.revoke(account);
      account.consents.clear();
    },
    async forgetSyncTokens(email, calendarId) {
      const account = accountOf(directory, email);
      deltas.forget(account, calendarById(account, calendarId).id);
    },
    async demandAdminConsent(email) {
      const { tenant } = accountOf(directory, email);
      directory.adminOnly.add(tenant);
      for (const consent of directory.adminConsents) {
        if (consent.endsWith(` ${tenant}`)) directory.adminConsents.delete(consent);
      }
    },
    async giveAdminConsent(email, clientId) {
      directory.adminConsents.add(`${clientId} ${accountOf(directory, email).tenant}`);
    },
    async block(email, code) {
      accountOf(directory, email).blockedBy = code;
    },
    async sendLifecycle(email, event) {
      subscriptions.lifecycle(accountOf(directory, email), event);
    },
  };
}
