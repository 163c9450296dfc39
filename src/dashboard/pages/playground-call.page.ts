/** One operation of the playground: its form, the response, and the same call as code. */
import type { Account } from '../../calendars/account-store.ts';
import type { codeBlock } from '../../design/highlight.ts';
import { icon } from '../../design/icon.page.ts';
import { notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import { jsonIn } from '../../lib/json.ts';
import type { Client } from '../../oauth/client.ts';
import type { OperationField, OperationForm } from '../../playground/operation-forms.ts';
import { type Call, SECRET_FIELD, TOKEN_WORDS, type Typed, WHOLE_BODY } from '../../playground/read-call.ts';
import { needsPrivateKey, type ShownAnswer } from '../../playground/run-call.ts';
import type { TestUser } from '../../playground/test-user-store.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { curlOfCall, pythonOfCall, typescriptOfCall } from './call-code.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { field, top, withCode } from './parts.page.ts';
import { playgroundPath } from './playground.page.ts';
import { applicationSwitch, operationMenu, renderNotice, testUserBar } from './playground-user.page.ts';
import { requestPath, statusWord } from './requests.page.ts';
import type { UserLinkDeps } from './user-links.ts';
import { visibleText } from './visible-text.ts';

/** A sent call. `answer` is undefined if none came in time. */
export type SentCall = {
  readonly call: Call;
  readonly answer: ShownAnswer | undefined;
  /** Loaded for the first call. */
  readonly codeBlock: typeof codeBlock;
};

export type OperationParts = UserLinkDeps & {
  readonly client: Client;
  /** The applications that the member may try. */
  readonly clients: readonly Client[];
  readonly forms: readonly OperationForm[];
  readonly form: OperationForm;
  readonly user: TestUser | undefined;
  readonly accounts: readonly Account[];
  /** The last action, from the query. */
  readonly done: string;
  /** The public URL of this instance. */
  readonly url: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly typed: Typed | undefined;
  /** Whether failed requests are stored, so that their ids are links. */
  readonly isLogged: boolean;
  readonly sent?: SentCall | undefined;
  readonly problem?: string | undefined;
};

export function operationPage(parts: OperationParts, viewer: Viewer): Html {
  const { client, clients, forms, form, user, sent, problem, done } = parts;
  const { clientId } = client;
  const connect = html`${messages.text('call.unconnected')} <a href="${playgroundPath(clientId)}">${messages.text('playground.connect.do')}</a>`;
  const bar = user?.isConnected ? testUserBar({ ...parts, user }, viewer) : notice('note', connect);
  return html`${top(messages.text('playground.title'), html`${form.summary}`, applicationSwitch(clients, client))}
${renderNotice(done)}
${bar}
${needsPrivateKey(client, form) && notice('note', html`${messages.text('call.key')}`)}
${problem !== undefined && notice('trouble', html`${problem}`, true)}
<div class="playground">${operationMenu(forms, clientId, form.id)}
<div>${callForm(parts, viewer)}</div>
${sent === undefined ? html`<div class="empty">${icon('terminal')}<p>${messages.text('call.none')}</p></div>` : resultPanel(parts, sent)}</div>`;
}

function callForm(parts: OperationParts, viewer: Viewer): Html {
  const { client, form, typed } = parts;
  const rows = (isRequired: boolean) =>
    form.fields.filter((one) => one.isRequired === isRequired).map((one) => fieldRow(one, parts));
  const optional = rows(false);
  const isTyped = form.fields.some(({ name, isRequired }) => !isRequired && typed?.(name));
  const more =
    optional.length > 0 &&
    html`<details class="code-of"${isTyped && html` open`}><summary>${messages.text('call.optional', { count: optional.length })}</summary><div class="fields">${optional}</div></details>`;
  const asJson =
    form.hasBody &&
    html`<details class="code-of"${typed?.(WHOLE_BODY) && html` open`}><summary>${messages.text('call.json')}</summary>
<label for="${WHOLE_BODY}" class="unseen">${messages.text('call.json')}</label><textarea id="${WHOLE_BODY}" name="${WHOLE_BODY}" rows="8" class="code" spellcheck="false" maxlength="12000">${typed?.(WHOLE_BODY) ?? ''}</textarea></details>`;
  const content = html`<section class="panel call"><h2 class="code">${form.method} ${form.path}</h2>
${form.description !== undefined && html`<p class="lead">${withCode(form.description)}</p>`}
<div class="fields">${form.fields.length === 0 && html`<p class="lead">${messages.text('call.nothing')}</p>`}${rows(true)}${secretRow(form, client)}</div>
${more}
${asJson}
<div class="buttons"><button class="primary">${messages.text('call.do')}</button></div></section>`;
  return postForm(viewer, playgroundPath(client.clientId, form.id), content);
}

/** Renders the field for the client secret, which calls of the application need: the server has only its hash. */
const secretRow = ({ caller }: OperationForm, { clientAuthentication }: Client): Html | undefined =>
  clientAuthentication === 'secret' && (caller === 'application' || caller === 'either')
    ? field({
        ...{ name: SECRET_FIELD, type: 'password', label: messages.text('call.secret'), isOptional: true },
        hint: messages.text(caller === 'either' ? 'call.secret.either' : 'call.secret.hint'),
      })
    : undefined;

function fieldRow(one: OperationField, parts: OperationParts): Html {
  const { name, label, kind, choices, isRequired, about, example } = one;
  const value = parts.typed?.(name) ?? chooseDefault(one, parts);
  const described = about === undefined ? '' : html` aria-describedby="${name}-hint"`;
  const common = html`id="${name}" name="${name}"${described === '' ? undefined : described}`;
  const hint = about !== undefined && html`<p class="hint" id="${name}-hint">${withCode(about)}</p>`;
  const mark = isRequired && html` <small class="needed">${messages.text('call.required')}</small>`;
  return html`<div><label for="${name}"><span class="code">${label}</span>${mark}</label>
${control()}${hint}</div>`;

  function control(): Html {
    const options = kind === 'flag' ? ['true', 'false'] : choices;
    if (options.length > 0)
      return html`<select ${common}><option value="">${messages.text('call.unsent')}</option>${options.map((option) => html`<option${option === value && html` selected`}>${option}</option>`)}</select>`;
    if (kind === 'json')
      return html`<textarea ${common} rows="3" class="code" spellcheck="false" maxlength="12000" placeholder="${example || 'JSON'}">${value}</textarea>`;
    return html`<input ${common} type="text"${kind === 'number' && html` inputmode="decimal"`} value="${value}" placeholder="${example}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="4000">`;
  }
}

const HOUR_MS = 3_600_000;

/** Returns a value with which a first call works, for required fields. */
function chooseDefault({ label, isRequired, choices }: OperationField, parts: OperationParts): string {
  const hour = Math.ceil(parts.now / HOUR_MS) * HOUR_MS;
  if (parts.form.path === '/token' && label === 'grant_type') return 'refresh_token';
  if (label === 'refresh_token' || label === 'token') return TOKEN_WORDS.refreshToken;
  if (!isRequired) return '';
  switch (label) {
    case 'provider':
      return parts.accounts[0]?.provider ?? choices[0] ?? '';
    case 'calendarId':
      return 'primary';
    case 'start':
      return iso(hour);
    case 'end':
      return iso(hour + (parts.form.method === 'GET' ? 7 * 24 : 1) * HOUR_MS);
    case 'duration':
      return '30';
    case 'title':
      return messages.text('call.title.value');
    default:
      return '';
  }
}

const iso = (at: number): string => new Date(at).toISOString();

/** Maximum characters of the code of a call. */
const MOST_CHARACTERS = 60_000;
/** Maximum bytes of a response with its colors, so that the page has at most 60 KB. */
const MOST_ANSWER_BYTES = 10 * 1024;

/** Renders the response, and the same call as code, of which one is visible at a time. It needs no script. */
function resultPanel(parts: OperationParts, { call, answer, codeBlock }: SentCall): Html {
  const block = (text: string, language: string) => codeBlock(visibleText(text, MOST_CHARACTERS), language);
  const code = { ...parts, call };
  const views = [
    ...(answer === undefined ? [] : [[messages.text('call.answer'), renderBody(answer, block)] as const]),
    ['curl', block(curlOfCall(code), 'bash')],
    ['TypeScript', block(typescriptOfCall(code), 'typescript')],
    ['Python', block(pythonOfCall(code), 'python')],
  ] as const;
  const tabs = views.map(
    ([name, view], index) =>
      html`<label><input type="radio" name="view" class="unseen" autocomplete="off"${index === 0 && html` checked`}>${name}</label><div>${view}</div>
`,
  );
  return html`<section class="result" aria-labelledby="result" tabindex="-1" autofocus><h2 id="result">${messages.text('call.answer')}</h2>
${answer !== undefined && renderFacts(answer, parts)}
<div class="views" role="group" aria-label="${messages.text('call.views')}">${tabs}</div></section>`;
}

function renderFacts({ status, requestId, milliseconds }: ShownAnswer, { isLogged }: OperationParts): Html {
  const id = html`<code>${requestId}</code>`;
  return html`<p class="with-mark hint">${statusWord({ status, repeated: 1 })} <span>${messages.text('milliseconds', { count: milliseconds })}</span> ${isLogged && status >= 400 ? html`<a href="${requestPath({ requestId })}">${id}</a>` : id}</p>`;
}

function renderBody({ text, isCut }: ShownAnswer, block: (text: string, language: string) => Html): Html {
  if (text === '') return html`<p class="lead">${messages.text('call.empty')}</p>`;
  const pretty = JSON.stringify(jsonIn(text), undefined, 2) ?? text;
  const lines = pretty.split('\n');
  const { count, markup } = fitLines(lines, (some) => block(some, 'json'));
  const more = lines.length - count;
  const note = html`<p class="lead">${messages.text(more > 0 ? 'call.cut' : 'call.cut.unread', { count: more })}</p>`;
  const isShort = !isCut && more === 0 && pretty.length <= MOST_ANSWER_BYTES;
  return html`${markup}${!isShort && note}`;
}

/** Returns as many of the first lines as fit into MOST_ANSWER_BYTES, at least one, and their markup. */
function fitLines(lines: readonly string[], render: (text: string) => Html): { count: number; markup: Html } {
  let count = lines.length;
  for (;;) {
    const text = lines.slice(0, count).join('\n');
    const markup = render(text.slice(0, MOST_ANSWER_BYTES));
    const share = MOST_ANSWER_BYTES / Math.max(text.length, Buffer.byteLength(markup.markup));
    if (share >= 1 || count === 1) return { count, markup };
    count = Math.max(1, Math.floor(count * share));
  }
}
