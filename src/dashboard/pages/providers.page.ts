/** Providers of an application: its own apps at Google and Microsoft, their registration, and their check. */
import type { AppRegistration } from '../../access/app-registration.ts';
import { APP_KINDS, type AppKind } from '../../access/provider-apps.ts';
import type { AppCheck, AppProblems, OwnApps } from '../../administration/application-apps.ts';
import { ICONS, notice, outwardLink, PROVIDER_MARKS, PROVIDER_NAMES } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Client } from '../../oauth/client.ts';
import { SCOPES } from '../../oauth/scope.ts';
import { may } from '../../people/permission.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath, copyRow } from './applications.page.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { dangerZone, field, formButtons, removalPanel, table } from './parts.page.ts';

export const PROVIDERS_TAB = '/providers';

export type ProvidersParts = {
  readonly client: Client;
  /** The client ids of the application's own provider apps. */
  readonly apps: OwnApps;
  readonly registrations: Readonly<Record<AppKind, AppRegistration>>;
  readonly checked?: { readonly kind: AppKind; readonly check: AppCheck } | undefined;
};

const CONSOLES: Readonly<Record<AppKind, string>> = {
  google: 'https://console.cloud.google.com/auth/clients',
  microsoft: 'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade',
};

export const PROVIDERS_DONE = { set: 'providers.set', removed: 'providers.removed' } as const;

export const providersContent = (parts: ProvidersParts, viewer: Viewer): Html =>
  html`<p class="lead">${messages.text('providers.lead')}</p>
${APP_KINDS.map((kind) => providerPanel(kind, parts, viewer))}`;

function providerPanel(kind: AppKind, parts: ProvidersParts, viewer: Viewer): Html {
  const { client, apps, registrations, checked } = parts;
  const path = `${applicationPath(client.clientId)}${PROVIDERS_TAB}/${kind}`;
  const provider = PROVIDER_NAMES[kind];
  const ownApp = apps[kind];
  const isOffered = client.providers?.includes(kind) ?? true;
  const change = html`<a class="button" href="${path}">${messages.text(ownApp === undefined ? 'providers.add' : 'providers.change')}</a>`;
  const check =
    ownApp !== undefined &&
    may(viewer.person, 'application.change', client.clientId) &&
    postForm(viewer, `${path}/check`, html`<button>${messages.text('providers.check')}</button>`);
  return html`<section class="panel" id="${kind}"><h2 class="with-mark">${PROVIDER_MARKS[kind]}${provider}</h2>
${renderState(ownApp, registrations[kind], provider)}
${!isOffered && html`<p class="hint">${messages.text('providers.not_offered')}</p>`}
${checked?.kind === kind && checkResult(checked.check, provider)}
<div class="buttons">${may(viewer.person, 'application.secrets', client.clientId) && change}${check}</div>
${renderRegistration(kind, registrations[kind])}</section>`;
}

function renderState(own: string | undefined, { instanceAppId }: AppRegistration, provider: string): Html {
  if (own !== undefined)
    return html`<p class="lead">${messages.markup('providers.own', { id: html`<bdi class="code">${own}</bdi>` })}</p>`;
  return html`<p class="lead">${messages.text(instanceAppId === undefined ? 'providers.nobody' : 'providers.instance', { provider })}</p>`;
}

function checkResult(check: AppCheck, provider: string): Html {
  if ('wait' in check)
    return notice('note', html`${messages.text('providers.wait', { seconds: check.wait })}`, true);
  const kinds = {
    accepted: 'done',
    unsaid: 'note',
    none: 'note',
    unreachable: 'trouble',
    app_refused: 'trouble',
    address_unknown: 'trouble',
  } as const;
  const text = messages.text(`providers.verdict.${check.verdict}`, { provider });
  return notice(kinds[check.verdict], html`${text}`, true);
}

function renderRegistration(kind: AppKind, { redirectUri, permissions, issuer }: AppRegistration): Html {
  const console = outwardLink(CONSOLES[kind], html`${messages.text(`providers.console.${kind}`)}`);
  const rows = SCOPES.map((scope) => [
    html`<span class="code">${scope}</span>`,
    html`<ul class="code">${permissions[scope].map((permission) => html`<li>${permission}</li>`)}</ul>`,
  ]);
  return html`<details class="registration"><summary>${messages.text('providers.register')}${ICONS.unfold}</summary>
<p class="hint">${messages.markup('providers.register.text', { console })}</p>
<h3>${messages.text('providers.redirect')}</h3>${copyRow(`${kind}-redirect`, redirectUri)}
<h3>${messages.text('providers.permissions')}</h3>
${table({ name: 'providers.permissions', heads: ['providers.scope', 'providers.permission'], rows })}
<p class="hint">${messages.markup('providers.issuer', { issuer })}</p></details>`;
}

export type AppFormParts = {
  readonly client: Client;
  readonly kind: AppKind;
  readonly own: string | undefined;
  readonly appClientId?: string;
  readonly problems?: AppProblems;
};

/** Renders the form of one app. Its secret is sealed and never shown. */
export function appFormContent(parts: AppFormParts, viewer: Viewer): Html {
  const { client, kind, own, appClientId = own ?? '', problems } = parts;
  const tab = `${applicationPath(client.clientId)}${PROVIDERS_TAB}`;
  const provider = PROVIDER_NAMES[kind];
  const form = html`<div class="fields">${field({ name: 'app_client_id', label: messages.text('providers.id'), value: appClientId, hint: messages.text(`providers.id.${kind}`), problem: problems?.appClientId, maxLength: 255 })}
${field({ name: 'app_client_secret', label: messages.text('providers.secret'), type: 'password', autocomplete: 'new-password', isOptional: own !== undefined, hint: messages.text(own === undefined ? 'providers.secret.hint' : 'providers.secret.keep'), problem: problems?.clientSecret, maxLength: 4096 })}</div>
${formButtons(messages.text('save'), tab)}`;
  const [title, text] = [messages.text('providers.remove'), messages.text('providers.remove.text')];
  return html`<section class="panel"><h2 class="with-mark">${PROVIDER_MARKS[kind]}${messages.text('providers.form', { provider })}</h2>
<p class="lead">${messages.text(own === undefined ? 'providers.form.text' : 'providers.form.change')}</p>
${postForm(viewer, `${tab}/${kind}`, form)}</section>
${own !== undefined && dangerZone([{ title, text, path: `${tab}/${kind}/remove` }])}`;
}

export function removeAppContent({ clientId }: Client, kind: AppKind, viewer: Viewer): Html {
  const back = `${applicationPath(clientId)}${PROVIDERS_TAB}/${kind}`;
  const title = messages.text('providers.remove.title', { provider: PROVIDER_NAMES[kind] });
  return removalPanel('providers', { back, title }, viewer);
}
