import { endpoint, httpUrl, type OptionTable, onOff, printable } from './option.ts';

const PROVIDER_NAMES = ['google', 'microsoft', 'apple', 'caldav'] as const;
type ProviderName = (typeof PROVIDER_NAMES)[number];

export const PROVIDERS = {
  providers: {
    name: 'KALENDS_PROVIDERS',
    default: 'google,microsoft,apple,caldav',
    parse: providers,
    doc: 'Which providers users can connect here, separated by commas. An application can offer fewer of them (`client update --providers`).',
  },
} satisfies OptionTable;

export const GOOGLE = {
  clientId: {
    name: 'KALENDS_GOOGLE_CLIENT_ID',
    parse: printable,
    doc: 'Client id of the [app registered with Google](providers.md#google). Default: none; applications can bring their own.',
  },
  clientSecret: {
    name: 'KALENDS_GOOGLE_CLIENT_SECRET',
    secret: true,
    parse: printable,
    doc: 'Client secret of that app.',
  },
  issuer: {
    name: 'KALENDS_GOOGLE_ISSUER',
    default: 'https://accounts.google.com',
    parse: endpoint,
    doc: 'The OpenID issuer users sign in at. Another one is for tests.',
  },
  apiUrl: {
    name: 'KALENDS_GOOGLE_API_URL',
    default: 'https://www.googleapis.com/calendar/v3',
    parse: endpoint,
    doc: 'Where the Google Calendar API begins. Another one is for tests.',
  },
  asksForCalendars: {
    name: 'KALENDS_GOOGLE_CALENDARS',
    ...onOff('off'),
    doc: '`on` asks users who let events be written at Google for their calendars as well, so that applications [can create, change and delete them](providers.md#google).',
  },
} satisfies OptionTable;

export const MICROSOFT = {
  clientId: {
    name: 'KALENDS_MICROSOFT_CLIENT_ID',
    parse: printable,
    doc: 'Client id of the [app registered with Microsoft](providers.md#microsoft). Default: none; applications can bring their own.',
  },
  clientSecret: {
    name: 'KALENDS_MICROSOFT_CLIENT_SECRET',
    secret: true,
    parse: printable,
    doc: 'Client secret of that app.',
  },
  issuer: {
    name: 'KALENDS_MICROSOFT_ISSUER',
    default: 'https://login.microsoftonline.com/common/v2.0',
    parse: endpoint,
    doc: 'The OpenID issuer users sign in at. In place of `common`: `organizations`, `consumers` or a tenant id, for an app that is not for everybody.',
  },
  apiUrl: {
    name: 'KALENDS_MICROSOFT_API_URL',
    default: 'https://graph.microsoft.com/v1.0',
    parse: endpoint,
    doc: 'Where Microsoft Graph begins. Another one is for national clouds and tests.',
  },
  asksForShared: {
    name: 'KALENDS_MICROSOFT_SHARED_CALENDARS',
    ...onOff('off'),
    doc: '`on` asks users for [calendars that others shared with them](providers.md#shared-calendars) as well. Users who connected before have to connect again.',
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
    throw new Error(`names "${unknown}": it takes ${PROVIDER_NAMES.join(', ')}, separated by commas`);
  return Object.freeze(PROVIDER_NAMES.filter((name) => names.includes(name)));
}
