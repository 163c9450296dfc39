/** The list of applications, the form that creates one, and the page of the new one. */
import type { SettingsProblems } from '../../administration/applications.ts';
import { TEXT_SETTINGS, type TextSettingKey } from '../../administration/documents/application-settings.ts';
import { MOST_EMAIL_CHARACTERS, MOST_URL_CHARACTERS } from '../../branding/look-input.ts';
import { notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import { type Client, MOST_NAME_CHARACTERS } from '../../oauth/client.ts';
import { MOST_REDIRECT_URIS, MOST_URI_CHARACTERS } from '../../oauth/redirect-uri.ts';
import { mayRole } from '../../people/permission.ts';
import { type DashboardMessageKey, dashboardMessages as messages } from '../messages/messages.ts';
import { authorizeUrl, type CodeInput, curlCode, pythonCode, typescriptCode } from './application-code.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { copyable, emptyState, field, formButtons, table, top } from './parts.page.ts';

/** The path of the list. The pages of an application are below it. */
export const APPLICATIONS = '/dashboard/applications';

export const applicationPath = (clientId: string): string =>
  `${APPLICATIONS}/${encodeURIComponent(clientId)}`;

export type ApplicationsParts = {
  readonly clients: readonly Client[];
  readonly said?: Html | undefined;
  /** The link to the waiting reviews, if there are any. */
  readonly waiting: Html | undefined;
};

export function applicationsPage({ clients, said, waiting }: ApplicationsParts, { person }: Viewer): Html {
  const mayCreate = mayRole(person.role, 'application.create');
  const create = html`<a class="button primary" href="${APPLICATIONS}/new">${messages.text('applications.create')}</a>`;
  const isEmpty = clients.length === 0;
  const rows = clients.map(
    ({ clientId, name, displayName, redirectUri, furtherRedirectUris: { length: count } }) => [
      html`<a href="${applicationPath(clientId)}"><bdi>${name}</bdi></a><small>${displayName === undefined ? messages.text('applications.unnamed') : html`<bdi>${displayName}</bdi>`}</small>`,
      html`<span class="code">${clientId}</span>`,
      html`<span class="code">${redirectUri}</span>${count > 0 && html`<small>${messages.text('applications.redirects.more', { count })}</small>`}`,
    ],
  );
  const list = table({
    name: 'applications.title',
    heads: ['applications.name', 'applications.id', 'applications.redirect'],
    rows,
  });
  return html`${top(messages.text('applications.title'), messages.text('applications.lead'), mayCreate && !isEmpty ? create : undefined)}
${said !== undefined && notice('done', said, true)}${waiting}
${isEmpty ? emptyList(mayCreate ? create : undefined) : list}`;
}

const emptyList = (create: Html | undefined): Html =>
  emptyState(
    messages.text('applications.none'),
    messages.text(create === undefined ? 'applications.none.given' : 'applications.none.text'),
    create,
  );

export type FilledFields = {
  readonly values?: Readonly<Partial<Record<TextSettingKey, string | undefined>>>;
  readonly redirectUris?: readonly string[];
  readonly problems?: SettingsProblems;
};

type Input = {
  readonly type?: 'text' | 'email' | 'url';
  readonly isRequired?: true;
  /** In characters. */
  readonly maxLength: number;
};

const URL_INPUT: Input = { type: 'url', maxLength: MOST_URL_CHARACTERS };

const INPUTS: Readonly<Record<TextSettingKey, Input>> = {
  name: { isRequired: true, maxLength: MOST_NAME_CHARACTERS },
  displayName: { maxLength: MOST_NAME_CHARACTERS },
  webhookUrl: { type: 'url', maxLength: MOST_URI_CHARACTERS },
  applicationUrl: URL_INPUT,
  supportEmail: { type: 'email', maxLength: MOST_EMAIL_CHARACTERS },
  supportUrl: URL_INPUT,
  privacyUrl: URL_INPUT,
  termsUrl: URL_INPUT,
};

/** Returns the form field of a setting, with its label and hint from the message catalog. */
export function applicationField(key: TextSettingKey, { values = {}, problems = {} }: FilledFields): Html {
  const { name } = TEXT_SETTINGS[key];
  const { type = 'text', isRequired = false, maxLength } = INPUTS[key];
  const problem = problems[key];
  return field({
    ...{ name, type, maxLength },
    isOptional: !isRequired,
    value: values[key] ?? '',
    label: messages.text(`application.${name}` as DashboardMessageKey), // each row has messages
    hint: messages.text(`application.${name}.hint` as DashboardMessageKey),
    problem: problem === undefined ? undefined : asSentence(problem),
  });
}

/** The name of the field that has a redirect URI in each line. */
export const REDIRECT_URIS = 'redirect_uris';

/** Renders the fields that an application is created with. */
export const connectingFields = (filled: FilledFields): Html => html`<div class="fields">
${applicationField('name', filled)}
${applicationField('displayName', filled)}
${redirectUrisField(filled)}
${applicationField('webhookUrl', filled)}
</div>`;

function redirectUrisField({ redirectUris = [], problems = {} }: FilledFields): Html {
  const wrong = problems.redirectUris?.map((problem) => html`<p class="wrong">${asSentence(problem)}</p>`);
  const [hint, described] = [`${REDIRECT_URIS}-hint`, `${REDIRECT_URIS}-wrong`];
  return html`<div><label for="${REDIRECT_URIS}">${messages.text('application.redirect_uris')}</label>
<textarea id="${REDIRECT_URIS}" name="${REDIRECT_URIS}" rows="${Math.min(Math.max(redirectUris.length, 1) + 1, 8)}" class="code" spellcheck="false" autocapitalize="none" required aria-describedby="${hint}${wrong && ` ${described}`}"${wrong && html` aria-invalid="true" autofocus`}>${redirectUris.join('\n')}</textarea>
<p class="hint" id="${hint}">${messages.text('application.redirect_uris.hint', { most: MOST_REDIRECT_URIS })}</p>${wrong && html`<div id="${described}">${wrong}</div>`}</div>`;
}

/** Renders each redirect URI in a line. */
export const uriList = (uris: readonly string[]): Html =>
  html`${uris.map((uri) => html`<div><span class="code">${uri}</span></div>`)}`;

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

export function newApplicationPage(filled: FilledFields, viewer: Viewer): Html {
  const form = html`${connectingFields(filled)}${formButtons(messages.text('applications.create'), APPLICATIONS)}`;
  return html`${top(messages.text('application_new.title'), messages.text('application_new.lead'))}
<div class="panel">${postForm(viewer, `${APPLICATIONS}/new`, form)}</div>`;
}

export const copyRow = (id: string, text: string): Html =>
  html`<div class="copy-row">${copyable(id, text)}</div>`;

export type ShownSecrets = {
  readonly clientSecret?: string | undefined;
  readonly webhookSecret?: string | undefined;
};

export function secretsPanel({ clientSecret, webhookSecret }: ShownSecrets, lead: Html): Html {
  const secretRow = (id: string, title: DashboardMessageKey, secret: string) =>
    html`<h3>${messages.text(title)}</h3>${copyRow(id, secret)}`;
  return html`<section class="panel once">${notice('note', lead)}
${clientSecret !== undefined && secretRow('client-secret', 'credentials.secret', clientSecret)}
${webhookSecret !== undefined && secretRow('webhook-secret', 'credentials.webhook_secret', webhookSecret)}</section>`;
}

export type CreatedParts = ShownSecrets & {
  readonly client: Client;
  readonly url: string;
  /** The path of its playground. */
  readonly tryAt: string;
};

export function createdPage({ client, url, tryAt, clientSecret, webhookSecret }: CreatedParts): Html {
  const { clientId, name, redirectUri } = client;
  const lead = html`<strong>${messages.text('created.once')}</strong> ${messages.text('created.once.text')}`;
  return html`${top(messages.markup('created.title', { name }), messages.text('created.lead'))}
${secretsPanel({ clientSecret, webhookSecret }, lead)}
<section class="panel"><h2>${messages.text('created.id')}</h2>${copyRow('client-id', clientId)}
<h3>${messages.text('created.url')}</h3>${copyRow('instance-url', url)}</section>
${firstSteps({ url, clientId, redirectUri, secret: clientSecret }, tryAt)}
<div class="buttons"><a class="button primary fitting" href="${applicationPath(clientId)}/start">${messages.text('created.done')}</a></div>`;
}

/** Renders sample code and the next steps. `tryAt` is where the flow runs without code. */
export function firstSteps(input: CodeInput, tryAt: string | undefined): Html {
  const code = (id: string, title: string, text: string) =>
    html`<details class="code-of" name="code"${id === 'code-curl' && html` open`}><summary>${title}</summary>${copyable(id, text)}</details>`;
  const tryIt = html`<a href="${authorizeUrl(input)}" target="_blank" rel="noopener noreferrer">${messages.text('steps.try')}</a>`;
  const reference = html`<a href="${input.url}/docs">${messages.text('steps.reference')}</a>`;
  const run =
    tryAt !== undefined &&
    html`<section class="panel"><h2>${messages.text('steps.run')}</h2><p class="lead">${messages.text('steps.run.text')}</p>
<div class="buttons"><a class="button primary" href="${tryAt}">${messages.text('steps.run.do')}</a></div></section>`;
  return html`${run}<h2>${messages.text('steps.code')}</h2>
${code('code-curl', 'curl', curlCode(input))}
${code('code-typescript', 'TypeScript', typescriptCode(input))}
${code('code-python', 'Python', pythonCode(input))}
<h2>${messages.text('steps.next')}</h2>
<ol class="steps">
<li>${messages.text('steps.secret')}</li>
<li>${messages.markup('steps.connect', { tryIt })}</li>
<li>${messages.text('steps.exchange')}</li>
<li>${messages.markup('steps.read', { reference })}</li>
</ol>`;
}
