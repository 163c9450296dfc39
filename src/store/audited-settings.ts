/** The settings of applications as audit entries have them, under the names of the command line's documents. */
import type { AuditFields } from '../audit/audit-entry.ts';
import { auditedUrl } from '../audit/audited-url.ts';
import { differingFields } from '../audit/differing-fields.ts';
import type { ApplicationLook } from '../branding/branding-store.ts';
import { type Client, REFRESH_REPLAY_WINDOW } from '../oauth/client.ts';

type Changed = { readonly before: AuditFields; readonly after: AuditFields };

/** All that an application was created with, besides its secret. */
export const createdSettings = (client: Client): AuditFields => shown(settingsOf(client));

/** What a change of its settings changed; `undefined` for nothing. */
export function changedSettings(before: Client, after: Client): Changed | undefined {
  const changed = differingFields(settingsOf(before), settingsOf(after));
  return changed && { before: shown(changed.before), after: shown(changed.after) };
}

/** What a change of its look changed; logos by their hashes. */
export const changedLook = (before: ApplicationLook, after: ApplicationLook): Changed | undefined =>
  differingFields(lookOf(before), lookOf(after));

// Named one by one: what is added to an application is no part of the log until somebody decides it.
const settingsOf = (client: Client): AuditFields => ({
  name: client.name,
  display_name: client.displayName ?? null,
  redirect_uri: client.redirectUri,
  webhook_url: client.webhookUrl ?? null,
  pushed_requests: client.pushedRequests,
  returning_users: client.returningUsers,
  providers: client.providers ?? null,
  [REFRESH_REPLAY_WINDOW.field]: client.refreshReplayWindow,
});

/** Compared as it is, and kept without what can be a secret. */
const shown = (fields: AuditFields): AuditFields =>
  typeof fields.webhook_url === 'string'
    ? { ...fields, webhook_url: auditedUrl(fields.webhook_url) }
    : fields;

const lookOf = ({ branding, facts }: ApplicationLook): AuditFields => ({
  branding: branding.enabled,
  logo: branding.logo?.hash ?? null,
  dark_logo: branding.darkLogo?.hash ?? null,
  primary_color: branding.primaryColor ?? null,
  theme: branding.theme,
  hide_footer: branding.hideFooter,
  application_url: facts.applicationUrl ?? null,
  support_email: facts.supportEmail ?? null,
  support_url: facts.supportUrl ?? null,
  privacy_url: facts.privacyUrl ?? null,
  terms_url: facts.termsUrl ?? null,
});
