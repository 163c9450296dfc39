/** The operations on an application's own provider apps. Secrets are never returned. */
import { APP_KINDS, type AppKind } from '../../access/provider-apps.ts';
import { SETTINGS } from '../../branding/settings-error.ts';
import { oneOf, required, text } from '../../http/fields.ts';
import { ApiError } from '../../http/refusal.ts';
import { checkOwnApp, ownApps, removeOwnApp, setOwnApp } from '../application-apps.ts';
import { readApplication } from '../applications.ts';
import { ADMINISTRATION } from './administration-error.ts';
import { type AdministrationDeps, CLIENT, DRY_RUN, operation } from './operation.ts';

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
  ...{ pathFields: APP, fields: DRY_RUN, command: 'client update', ...OUTPUT, counted: 'provider_apps' },
  count: async ({ client_id: clientId, provider }, deps) =>
    (await readApp(clientId, provider, deps)).appId === undefined ? 0 : 1,
  async run({ client_id: clientId, provider: kind }, deps) {
    const { provider } = await readApp(clientId, kind, deps);
    await removeOwnApp(deps.actor, { clientId, kind }, deps);
    return { clientId, provider, appId: undefined };
  },
});

export const checkProviderAppOperation = operation({
  ...{ id: 'checkProviderApp', method: 'post', path: `${PATH}/check`, group: GROUP },
  summary: "Check an application's own app at its provider",
  description:
    '`verdict` is `accepted`, `app_refused` (unknown id or wrong secret), `address_unknown` (the redirect URI is not registered), `unsaid` (the provider did not say), `unreachable` or `none` (there is no app). At most 6 checks of an application a minute.',
  permission: 'application.change',
  pathFields: APP,
  fields: {},
  ...{ command: undefined, result: ['client_id', 'provider', 'verdict'] },
  async run({ client_id: clientId, provider: kind }, deps) {
    if (deps.appChecking === undefined) throw new Error('Only a server checks provider apps');
    await readApplication(deps.actor, clientId, deps);
    const check = await checkOwnApp(deps.actor, { clientId, kind }, { ...deps, ...deps.appChecking });
    if ('wait' in check) throw new ApiError(ADMINISTRATION.too_many_requests, { retryAfter: check.wait });
    return { client_id: clientId, provider: kind, verdict: check.verdict };
  },
  toDocument: (result: {
    readonly client_id: string;
    readonly provider: AppKind;
    readonly verdict: string;
  }) => result,
});

export const PROVIDER_APP_OPERATIONS = [
  ...[showProviderApp, setProviderAppOperation, removeProviderApp, checkProviderAppOperation],
];
