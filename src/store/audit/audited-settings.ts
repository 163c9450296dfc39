/** The settings of applications in audit entries, under the names of the command line's documents. */
import {
  BRANDING_SETTINGS,
  CLIENT_SETTINGS,
  FACT_SETTINGS,
} from '../../administration/documents/application-settings.ts';
import { toDocument } from '../../administration/documents/field.ts';
import type { AuditFields } from '../../audit/audit-entry.ts';
import { auditedUrl } from '../../audit/audited-url.ts';
import { differingFields } from '../../audit/differing-fields.ts';
import type { ApplicationLook } from '../../branding/branding-store.ts';
import type { Client } from '../../oauth/client.ts';

type Changed = { readonly before: AuditFields; readonly after: AuditFields };

export const createdSettings = (client: Client): AuditFields =>
  withoutSecrets(toDocument(CLIENT_SETTINGS, client));

/** Returns the settings that a change changed; `undefined` if there are none. */
export function changedSettings(before: Client, after: Client): Changed | undefined {
  const changed = differingFields(toDocument(CLIENT_SETTINGS, before), toDocument(CLIENT_SETTINGS, after));
  return changed && { before: withoutSecrets(changed.before), after: withoutSecrets(changed.after) };
}

/** Returns the branding that a change changed; logos as hashes. */
export const changedLook = (before: ApplicationLook, after: ApplicationLook): Changed | undefined =>
  differingFields(toAuditedBranding(before), toAuditedBranding(after));

/** Removes possible secrets. Comparisons use the complete values. */
const withoutSecrets = (fields: AuditFields): AuditFields =>
  typeof fields.webhook_url === 'string'
    ? { ...fields, webhook_url: auditedUrl(fields.webhook_url) }
    : fields;

const toAuditedBranding = (look: ApplicationLook): AuditFields => ({
  branding: look.branding.enabled,
  logo: look.branding.logo?.hash ?? null,
  dark_logo: look.branding.darkLogo?.hash ?? null,
  ...toDocument(BRANDING_SETTINGS, look),
  ...toDocument(FACT_SETTINGS, look),
});
