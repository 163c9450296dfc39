/** An application as operators see it: settings, branding, review and provider apps, never secrets. */
import { APP_KINDS, APP_NAMES, type AppKind } from '../../access/provider-apps.ts';
import { type Logo, logoPath } from '../../branding/branding.ts';
import type { ApplicationLook } from '../../branding/branding-store.ts';
import { asObject } from '../../http/fields.ts';
import type { Client } from '../../oauth/client.ts';
import type { StoredClientKeys } from '../../oauth/client-key-store.ts';
import type { Verification } from '../../verification/verification.ts';
import { BRANDING_SETTINGS, CLIENT_SETTINGS, FACT_SETTINGS } from './application-settings.ts';
import { type DocumentField, toDocument, toTime, within } from './field.ts';
import { REVIEW_STATUS } from './review.ts';

/** An application and what is known of it. Lists leave out the optional properties. */
export type ApplicationSubject = {
  readonly client: Client;
  readonly look: ApplicationLook;
  readonly verification: Verification | undefined;
  readonly url: string;
  readonly webhookKeys?: 'own' | 'instance';
  /** The client ids of its own apps at providers. */
  readonly apps?: Readonly<Partial<Record<AppKind, string>>>;
  /** Null: it has registered none. */
  readonly keys?: StoredClientKeys | null | undefined;
  readonly liveSecrets?: number;
  readonly userCount?: number;
  readonly version?: number | undefined;
};
type Field = DocumentField<ApplicationSubject>;

const logoUrl = (logo: Logo | undefined, url: string) => (logo === undefined ? null : url + logoPath(logo));

export const BRANDING: readonly Field[] = [
  { name: 'enabled', label: 'branding', value: ({ look }) => look.branding.enabled },
  { name: 'logo_url', label: 'logo', value: ({ look, url }) => logoUrl(look.branding.logo, url) },
  {
    name: 'dark_logo_url',
    label: 'dark logo',
    value: ({ look, url }) => logoUrl(look.branding.darkLogo, url),
    text: ({ look: { branding }, url }) =>
      logoUrl(branding.darkLogo, url) ?? (branding.logo === undefined ? '(none)' : '(the logo)'),
  },
  ...within(BRANDING_SETTINGS, ({ look }: ApplicationSubject) => look),
];

const BEFORE_BRANDING: readonly Field[] = [
  { name: 'client_id', label: 'client_id', value: ({ client }) => client.clientId },
  ...within(CLIENT_SETTINGS, ({ client }: ApplicationSubject) => client),
  { name: 'redirect_uri', value: ({ client }) => client.redirectUri },
  { name: 'created_at', label: 'created', value: ({ client }) => toTime(client.createdAt) },
  {
    name: 'own_webhook_keys',
    label: 'webhook keys',
    value: ({ webhookKeys }) => webhookKeys && webhookKeys === 'own',
    text: ({ webhookKeys }) => webhookKeys,
  },
];

/** Returns the registered keys, or those that were read last; null if none were read yet. */
function keySet(keys: StoredClientKeys): unknown {
  const jwks = keys.jwksUri === undefined ? keys.jwks : keys.cached?.jwks;
  return jwks === undefined ? null : JSON.parse(jwks);
}

const keyCount = (set: unknown): string | undefined => {
  const { keys } = asObject(set) ?? {};
  return Array.isArray(keys) ? String(keys.length) : undefined;
};

const AFTER_BRANDING: readonly Field[] = [
  ...within(FACT_SETTINGS, ({ look }: ApplicationSubject) => look),
  ...within(REVIEW_STATUS, ({ verification }: ApplicationSubject) => verification),
  ...APP_KINDS.map(
    (kind): Field => ({
      name: `${kind}_client_id`,
      label: `${APP_NAMES[kind]} app`,
      value: ({ apps }) => apps && (apps[kind] ?? null),
      text: ({ apps }) => apps?.[kind] ?? "(the deployment's)",
    }),
  ),
  {
    name: 'jwks_uri',
    label: 'keys at',
    value: ({ keys }) => keys && (keys.jwksUri ?? null),
    text: ({ keys }) => keys?.jwksUri,
  },
  {
    name: 'jwks',
    label: 'keys',
    value: ({ keys }) => keys && keySet(keys),
    text: ({ keys }) => keyCount(keys && keySet(keys)),
  },
  { name: 'live_secrets', label: 'valid secrets', value: ({ liveSecrets }) => liveSecrets },
  { name: 'user_count', label: 'users', value: ({ userCount }) => userCount },
];

export const APPLICATION: readonly Field[] = [
  ...BEFORE_BRANDING,
  { name: 'branding', value: (subject) => toDocument(BRANDING, subject) },
  ...AFTER_BRANDING,
];

/** The same fields in text, where those of the branding are lines like all others. */
export const APPLICATION_LINES: readonly Field[] = [...BEFORE_BRANDING, ...BRANDING, ...AFTER_BRANDING];
