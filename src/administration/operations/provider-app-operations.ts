/** The operations on an application's own provider apps. Secrets are never returned. */
import { APP_KINDS, type AppKind } from '../../access/provider-apps.ts';
import { SETTINGS } from '../../branding/settings-error.ts';
import { oneOf, required, text } from '../../http/fields.ts';
import { ApiError } from '../../http/refusal.ts';
import { ownApps, removeOwnApp, setOwnApp } from '../application-apps.ts';
import { readApplication } from '../applications.ts';
import { type AdministrationDeps, CLIENT, operation } from './operation.ts';

const GROUP = 'Provider apps';
const PATH = '/applications/{client_id}/provider-apps/{provider}';
const APP = {
  ...CLIENT,
  provider: required(oneOf(APP_KINDS, { doc: 'The provider of the app.', example: 'google' })),
};

type OwnApp = { readonly clientId: string; readonly provider: AppKind; readonly appId: string | undefined };

const OUTPUT = {
  result: ['client_id', 'provider', 'app_client_id'],
  toDocument: ({ clientId, provider, appId }: OwnApp) => ({
    ...{ client_id: clientId, provider, app_client_id: appId ?? null },
  }),
};

async function readApp(clientId: string, provider: AppKind, deps: AdministrationDeps): Promise<OwnApp> {
  await readApplication(deps.actor, clientId, deps);
  return { clientId, provider, appId: (await ownApps(deps.actor, clientId, deps))[provider] };
}

export const showProviderApp = operation({
  ...{ id: 'showProviderApp', method: 'get', path: PATH, group: GROUP },
  summary: "Show an application's own app at a provider",
  description: '`app_client_id` is null if it uses the app of the deployment.',
  permission: 'application.read',
  ...{ pathFields: APP, fields: {}, command: 'client show', ...OUTPUT },
  run: ({ client_id: clientId, provider }, deps) => readApp(clientId, provider, deps),
});

export const setProviderAppOperation = operation({
  ...{ id: 'setProviderApp', method: 'post', path: PATH, group: GROUP },
  ...{ summary: "Set an application's own app at a provider", permission: 'application.secrets' },
  errors: [SETTINGS.invalid_client_metadata],
  pathFields: APP,
  fields: {
    app_client_id: text({ max: 300, doc: 'The id of the app; the present one by default.' }),
    client_secret: text({ max: 5_000, doc: 'The secret of the app. It can be absent if the id stays.' }),
  },
  ...{ command: 'client update', ...OUTPUT },
  async run({ client_id: clientId, provider: kind, ...sent }, deps) {
    const before = await readApp(clientId, kind, deps);
    const typed = { appClientId: sent.app_client_id?.trim() ?? before.appId ?? '' };
    const app = { ...typed, clientId, kind, clientSecret: sent.client_secret?.trim() ?? '' };
    const { appClientId, clientSecret } = await setOwnApp(deps.actor, app, deps);
    const message = appClientId ?? clientSecret;
    if (message === undefined) return { ...before, appId: app.appClientId };
    const field = appClientId === undefined ? 'client_secret' : 'app_client_id';
    throw new ApiError(SETTINGS.invalid_client_metadata, { message, field });
  },
});

export const removeProviderApp = operation({
  ...{ id: 'removeProviderApp', method: 'delete', path: PATH, group: GROUP },
  ...{ summary: "Remove an application's own app at a provider", permission: 'application.secrets' },
  ...{ pathFields: APP, fields: {}, command: 'client update', ...OUTPUT },
  async run({ client_id: clientId, provider: kind }, deps) {
    const { provider } = await readApp(clientId, kind, deps);
    await removeOwnApp(deps.actor, { clientId, kind }, deps);
    return { clientId, provider, appId: undefined };
  },
});

export const PROVIDER_APP_OPERATIONS = [showProviderApp, setProviderAppOperation, removeProviderApp];
