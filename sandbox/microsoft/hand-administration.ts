/** What administrators and the passing of time do to accounts, by hand. */
import { deltaOwner } from './delta-book.ts';
import type { HandDeps, MicrosoftHand } from './hand.ts';
import { calendarIn, knownAccount } from './hand-calendars.ts';

type AdministrationByHand = Pick<
  MicrosoftHand,
  'block' | 'demandAdminConsent' | 'forgetSyncTokens' | 'giveAdminConsent' | 'revokeAccess' | 'sendLifecycle'
>;

export function administrationByHand({
  directory,
  deltas,
  vault,
  subscriptions,
}: HandDeps): AdministrationByHand {
  return {
    async revokeAccess(email) {
      const account = knownAccount(directory, email);
      vault.revoke(account);
      account.consents.clear();
    },
    async forgetSyncTokens(email, calendarId) {
      const account = knownAccount(directory, email);
      deltas.forget(deltaOwner(account), calendarIn(account, calendarId).id);
    },
    async demandAdminConsent(email) {
      const { tenant } = knownAccount(directory, email);
      directory.adminOnly.add(tenant);
      for (const consent of directory.adminConsents) {
        if (consent.endsWith(` ${tenant}`)) directory.adminConsents.delete(consent);
      }
    },
    async giveAdminConsent(email, clientId) {
      directory.adminConsents.add(`${clientId} ${knownAccount(directory, email).tenant}`);
    },
    async block(email, code) {
      knownAccount(directory, email).blockedBy = code;
    },
    async sendLifecycle(email, event) {
      subscriptions.lifecycle(knownAccount(directory, email), event);
    },
  };
}
