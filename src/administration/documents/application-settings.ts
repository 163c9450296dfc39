/** The settings of an application: what its document, the audit log, forms and the review call them. */
import type { AuditValue } from '../../audit/audit-entry.ts';
import type { ApplicationLook } from '../../branding/branding-store.ts';
import type { Client } from '../../oauth/client.ts';
import { SWITCH_KEYS, SWITCHES, switchField, switchText } from '../../oauth/switches.ts';
import type { DocumentField } from './field.ts';

/** The settings that are texts. The dashboard's forms name their inputs and texts after `name`. */
export const TEXT_SETTINGS = {
  name: { name: 'name', label: 'name' },
  displayName: { name: 'display_name', label: 'display name' },
  webhookUrl: { name: 'webhook_url', label: 'webhook URL' },
  applicationUrl: { name: 'application_url', label: 'application URL' },
  supportEmail: { name: 'support_email', label: 'support email' },
  supportUrl: { name: 'support_url', label: 'support URL' },
  privacyUrl: { name: 'privacy_url', label: 'privacy policy' },
  termsUrl: { name: 'terms_url', label: 'terms of service' },
} as const;

export type TextSettingKey = keyof typeof TEXT_SETTINGS;

/** The texts that an application is created with. */
export const NEW_SETTINGS = ['name', 'displayName', 'webhookUrl'] as const;

/** The facts that an application states about itself. They are stored with its branding. */
export const FACTS = ['applicationUrl', 'supportEmail', 'supportUrl', 'privacyUrl', 'termsUrl'] as const;

/** The settings of the application itself. A field of this table is part of the audit log. */
export const CLIENT_SETTINGS: readonly DocumentField<Client, AuditValue>[] = [
  ...NEW_SETTINGS.map((key) => ({
    ...TEXT_SETTINGS[key],
    value: (client: Client) => client[key] ?? null,
  })),
  {
    name: 'redirect_uris',
    label: 'redirect URIs',
    value: ({ redirectUri, furtherRedirectUris }) => [redirectUri, ...furtherRedirectUris],
  },
  { name: 'returning_users', label: 'returning users', value: (client) => client.returningUsers },
  {
    name: 'providers',
    label: 'providers',
    value: (client) => client.providers ?? null,
    text: ({ providers }) => providers?.join(', ') ?? "(the deployment's)",
  },
  ...SWITCH_KEYS.map((key) => ({
    name: switchField(key),
    label: SWITCHES[key].label,
    value: (client: Client) => client[key],
    text: (client: Client) => switchText(key, client[key]),
  })),
];

/** The branding besides its switch and logos. A field of this table is part of the audit log. */
export const BRANDING_SETTINGS: readonly DocumentField<ApplicationLook, AuditValue>[] = [
  {
    name: 'primary_color',
    label: 'primary color',
    value: ({ branding }) => branding.primaryColor ?? null,
    text: ({ branding }) => branding.primaryColor ?? '(the default)',
  },
  { name: 'theme', label: 'theme', value: ({ branding }) => branding.theme },
  {
    name: 'hide_footer',
    label: 'footer',
    value: ({ branding }) => branding.hideFooter,
    text: ({ branding }) => (branding.hideFooter ? 'off' : 'on'),
  },
];

/** The facts. A field of this table is part of the audit log. */
export const FACT_SETTINGS: readonly DocumentField<ApplicationLook, AuditValue>[] = FACTS.map((key) => ({
  ...TEXT_SETTINGS[key],
  value: ({ facts }) => facts[key] ?? null,
}));
