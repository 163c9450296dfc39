/** One application: its tabs and their contents. */
import type { RotatedSecret } from '../../administration/applications.ts';
import {
  FACTS,
  TEXT_SETTINGS,
  type TextSettingKey,
} from '../../administration/documents/application-settings.ts';
import { auditedUrl } from '../../audit/audited-url.ts';
import type { ApplicationFacts } from '../../branding/branding.ts';
import { notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import { type Client, registeredUris } from '../../oauth/client.ts';
import type { ApplicationContents } from '../../oauth/client-store.ts';
import { may, mayRole, type Permission } from '../../people/permission.ts';
import { type DashboardMessageKey, dashboardMessages as messages } from '../messages/messages.ts';
import {
  APPLICATIONS,
  applicationField,
  applicationPath,
  connectingFields,
  copyRow,
  type FilledFields,
  type ShownSecrets,
  secretsPanel,
  uriList,
} from './applications.page.ts';
import { type DashboardPage, postForm, type Viewer } from './layout.page.ts';
import { choice, dangerZone, factList, field, questionPanel, top } from './parts.page.ts';
import { instant } from './times.page.ts';

type Tab = readonly [path: string, name: DashboardMessageKey, needs: Permission];

/** The tabs in their order, each with its path and permission, and with its pages if it has several. */
const TABS: readonly (readonly [...Tab, pages?: readonly Tab[]])[] = [
  ['/start', 'application.tab.start', 'application.read'],
  ['/users', 'application.tab.users', 'user.read'],
  ['/webhooks', 'application.tab.webhooks', 'application.read'],
  ['/requests', 'application.tab.requests', 'request.read'],
  [
    '/branding',
    'application.tab.branding',
    'application.read',
    [
      ['/branding', 'application.tab.appearance', 'application.read'],
      ['/verification', 'application.tab.verification', 'application.read'],
    ],
  ],
  [
    '',
    'application.tab.settings',
    'application.read',
    [
      ['', 'application.tab.general', 'application.read'],
      ['/credentials', 'application.tab.credentials', 'application.read'],
      ['/providers', 'application.tab.providers', 'application.read'],
      ['/security', 'application.tab.security', 'application.read'],
      ['/delete', 'application.tab.delete', 'application.delete'],
    ],
  ],
];

export type ApplicationPageParts = {
  readonly client: Client;
  readonly tab: string;
  readonly content: Html;
  readonly said?: Html | undefined;
};

/** Returns a tab of an application; the title is the application's name. */
export function applicationPage(
  { client, tab, content, said }: ApplicationPageParts,
  viewer: Viewer,
): DashboardPage {
  const { clientId, name } = client;
  const isOf = (path: string, pages?: readonly Tab[]) =>
    path === tab || pages?.some(([one]) => one === tab) === true;
  const [, , , pages] = TABS.find(([path, , , below]) => isOf(path, below)) ?? [];
  const links = (level: readonly (readonly [...Tab, pages?: readonly Tab[]])[]) =>
    level
      .filter(([, , needs]) => mayRole(viewer.person.role, needs))
      .map(
        ([path, label, , below]) =>
          html`<li><a href="${applicationPath(clientId)}${path}"${isOf(path, below) && html` aria-current="page"`}>${messages.text(label)}</a></li>
`,
      );
  const back = html`<a href="${APPLICATIONS}">${messages.text('applications.title')}</a>`;
  const page = html`${top(html`<bdi>${name}</bdi>`, html`${back} / <span class="code">${clientId}</span>`)}
<nav class="tabs" aria-label="${messages.text('application.tabs')}"><ul>${links(TABS)}</ul></nav>
${said !== undefined && notice('done', said, true)}
${pages === undefined ? content : html`<div class="levels"><nav aria-label="${messages.text('application.pages')}"><ul>${links(pages)}</ul></nav><div>${content}</div></div>`}`;
  return { title: name, content: page };
}

export type SettingsParts = { readonly client: Client; readonly facts: ApplicationFacts } & FilledFields;

/** Renders a form for members who may change the settings, and the values for others. */
export function settingsContent(parts: SettingsParts, viewer: Viewer): Html {
  const { client, facts, problems } = parts;
  const { values = { ...client, ...facts }, redirectUris = registeredUris(client) } = parts;
  if (!may(viewer.person, 'application.change', client.clientId))
    return html`<section class="panel">${factList([
      ...(['name', 'displayName'] as const).map((key) => toFactRow(key, values[key])),
      [messages.text('application.redirect_uris'), uriList(redirectUris)],
      toFactRow('webhookUrl', shownUrl(values.webhookUrl)),
      ...FACTS.map((key) => toFactRow(key, values[key])),
    ])}</section>`;
  const filled = { values, redirectUris, ...(problems && { problems }) };
  const form = html`<section class="panel"><h2>${messages.text('settings.connecting')}</h2>${connectingFields(filled)}</section>
<section class="panel"><h2>${messages.text('settings.about')}</h2><p class="lead">${messages.text('settings.about.lead')}</p><div class="fields">${FACTS.map((key) => applicationField(key, filled))}</div></section>
<div class="panel-end"><button class="primary">${messages.text('save')}</button></div>`;
  return postForm(viewer, applicationPath(client.clientId), form);
}

const shownUrl = (url: string | undefined): string | undefined => url && auditedUrl(url);

function toFactRow(key: TextSettingKey, value: string | undefined): readonly [string, Html] {
  const label = messages.text(`application.${TEXT_SETTINGS[key].name}`);
  return [
    label,
    value === undefined ? html`${messages.text('application.none')}` : html`<bdi>${value}</bdi>`,
  ];
}

export const settingsSecretContent = (secrets: ShownSecrets, clientId: string): Html =>
  html`${secretsPanel(secrets, html`<strong>${messages.text('created.once')}</strong> ${messages.text('settings.webhook_secret')}`)}
<div class="buttons"><a class="button fitting" href="${applicationPath(clientId)}">${messages.text('link.done')}</a></div>`;

export function credentialsContent({ clientId }: Client, { person }: Viewer): Html {
  const path = applicationPath(clientId);
  const rotate = html`<div class="buttons"><a class="button" href="${path}/credentials/rotate">${messages.text('credentials.rotate')}</a></div>`;
  return html`<section class="panel"><h2>${messages.text('application.client_id')}</h2>${copyRow('client-id', clientId)}</section>
<section class="panel"><h2>${messages.text('credentials.secret')}</h2><p class="lead">${messages.text('credentials.secret.text')}</p>
${may(person, 'application.secrets', clientId) && rotate}</section>
<section class="panel"><h2>${messages.text('credentials.postman')}</h2><p class="lead">${messages.text('credentials.postman.text')}</p>
<div class="buttons"><a class="button" href="${path}/postman-environment" download>${messages.text('credentials.postman.do')}</a></div></section>`;
}

/** Hours that the previous secret stays valid, in the order of the form. */
export const OVERLAP_HOURS: readonly number[] = [24, 168, 1, 0];

/** Renders the choice of how long the previous secret stays valid. */
export function overlapFields(): Html {
  const choices = OVERLAP_HOURS.map((hours, index) =>
    choice(
      { type: 'radio', name: 'overlap', value: String(hours), isPicked: index === 0 },
      messages.text('rotate.overlap.hours', { hours }),
    ),
  );
  return html`<fieldset><legend>${messages.text('rotate.overlap')}</legend>${choices}</fieldset>`;
}

export function rotateContent({ clientId }: Client, viewer: Viewer): Html {
  const path = `${applicationPath(clientId)}/credentials`;
  const [title, text] = [messages.text('credentials.rotate'), messages.text('rotate.text')];
  const action = { path: `${path}/rotate`, button: messages.text('rotate.do'), rank: 'primary' } as const;
  return questionPanel({ ...action, back: path, title, text, fields: overlapFields() }, viewer);
}

/** Renders the new secret, which is shown only once. `now` is in epoch milliseconds. */
export function rotatedContent({ clientSecret, oldSecretExpiresAt }: RotatedSecret, now: number): Html {
  const old =
    oldSecretExpiresAt > now
      ? messages.markup('rotated.until', { until: instant(oldSecretExpiresAt) })
      : html`${messages.text('rotated.ended')}`;
  return secretsPanel({ clientSecret }, html`<strong>${messages.text('created.once')}</strong> ${old}`);
}

export type DeleteParts = {
  readonly client: Client;
  readonly contents: ApplicationContents;
  /** The limit of the counts. A higher count is shown as "more than" this. */
  readonly most: number;
  /** Whether the member has opened the confirmation. */
  readonly isOpened: boolean;
  readonly typed?: string;
  readonly problem?: string | undefined;
};

export function deleteContent(parts: DeleteParts, viewer: Viewer): Html {
  const { client, contents, most, isOpened, typed = '', problem } = parts;
  const { clientId, name } = client;
  const deletedCounts = (['users', 'accounts', 'endpoints'] as const)
    .filter((key) => contents[key] > 0)
    .map((key) => {
      const count = Math.min(contents[key], most);
      return html`<li>${messages.text(`delete.${key}`, { count, isMore: contents[key] > most ? 'yes' : 'no' })}</li>`;
    });
  const path = `${applicationPath(clientId)}/delete`;
  const text = html`<p class="lead">${messages.text('delete.lead')}</p>
<ul class="gone">${deletedCounts}<li>${messages.text('delete.rest')}</li></ul>
<p class="lead">${messages.text('delete.untouched')}</p>`;
  if (!isOpened)
    return dangerZone([{ title: messages.text('delete.do'), text, path: `${path}?confirm=yes` }]);
  const fields = html`<div class="fields">${field({ name: 'name', label: messages.text('delete.name'), hint: messages.text('delete.name.hint', { name }), value: typed, problem, maxLength: 200 })}</div>`;
  const [title, button] = [messages.text('delete.title'), messages.text('delete.do')];
  return questionPanel({ path, back: path, title, text, fields, button }, viewer);
}
