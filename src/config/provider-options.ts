import { endpoint, httpUrl, type OptionTable, onOff, printable } from './option.ts';

const PROVIDER_NAMES = ['google', 'microsoft', 'apple', 'caldav'] as const;
type ProviderName = (typeof PROVIDER_NAMES)[number];

export const PROVIDERS = {
  providers: {
    name: 'KALENDS_PROVIDERS',
    default: 'google,microsoft,apple,caldav',
    parse: providers,
    doc: 'The providers that users can connect, separated by commas. An application can offer fewer (`client update --providers`).',
  },
} satisfies OptionTable;

export const GOOGLE = {
  clientId: {
    name: 'KALENDS_GOOGLE_CLIENT_ID',
    parse: printable,
    doc: 'Client ID of the [provider app at Google](providers.md#google). Default: none; applications can have their own provider app.',
  },
  clientSecret: {
    name: 'KALENDS_GOOGLE_CLIENT_SECRET',
    secret: true,
    parse: printable,
    doc: 'Client secret of that provider app.',
  },
  issuer: {
    name: 'KALENDS_GOOGLE_ISSUER',
    default: 'https://accounts.google.com',
    parse: endpoint,
    doc: 'The OpenID issuer where users sign in. Change it only for tests.',
  },
  apiUrl: {
    name: 'KALENDS_GOOGLE_API_URL',
    default: 'https://www.googleapis.com/calendar/v3',
    parse: endpoint,
    doc: 'The base URL of the Google Calendar API. Change it only for tests.',
  },
  asksForCalendars: {
    name: 'KALENDS_GOOGLE_CALENDARS',
    ...onOff('off'),
    doc: '`on` also asks users who allow writing events at Google for permission to manage calendars, so that applications [can create, change and delete calendars](providers.md#google).',
  },
} satisfies OptionTable;

export const MICROSOFT = {
  clientId: {
    name: 'KALENDS_MICROSOFT_CLIENT_ID',
    parse: printable,
    doc: 'Client ID of the [provider app at Microsoft](providers.md#microsoft). Default: none; applications can have their own provider app.',
  },
  clientSecret: {
    name: 'KALENDS_MICROSOFT_CLIENT_SECRET',
    secret: true,
    parse: printable,
    doc: 'Client secret of that provider app.',
  },
  issuer: {
    name: 'KALENDS_MICROSOFT_ISSUER',
    default: 'https://login.microsoftonline.com/common/v2.0',
    parse: endpoint,
    doc: 'The OpenID issuer where users sign in. If the provider app does not accept all accounts, replace `common` with `organizations`, `consumers` or a tenant ID.',
  },
  apiUrl: {
    name: 'KALENDS_MICROSOFT_API_URL',
    default: 'https://graph.microsoft.com/v1.0',
    parse: endpoint,
    doc: 'The base URL of Microsoft Graph. Change it only for national clouds and tests.',
  },
  asksForShared: {
    name: 'KALENDS_MICROSOFT_SHARED_CALENDARS',
    ...onOff('off'),
    doc: '`on` also asks users for access to [calendars that others shared with them](providers.md#shared-calendars). Existing users must reconnect their accounts.',
  },
} satisfies OptionTable;

export const APPLE = {
  appleUrl: {
    name: 'KALENDS_APPLE_URL',
    default: 'https://caldav.icloud.com',
    parse: (text: string) => httpUrl(text).href,
    doc: 'The CalDAV server of Apple accounts.',
  },
} satisfies OptionTable;

function providers(text: string): readonly ProviderName[] {
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  const unknown = names.find((name) => !PROVIDER_NAMES.some((known) => known === name));
  if (unknown !== undefined)
    throw new Error(
      `has the unknown provider "${unknown}": use ${PROVIDER_NAMES.join(', ')}, separated by commas`,
    );
  return Object.freeze(PROVIDER_NAMES.filter((name) => names.includes(name)));
}
