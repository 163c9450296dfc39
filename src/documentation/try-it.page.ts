/**
 * "Try it" under an operation: a form that only its script sends. Without a script it is hidden, so that no token is
 * sent.
 */
import { exampleRequests } from '../api-reference/example-request.ts';
import type { OpenApiParameter } from '../api-reference/openapi-document.ts';
import type { Entry } from '../api-reference/reference-groups.ts';
import { readScript } from '../design/parts.page.ts';
import { type Html, html } from '../http/html.ts';
import { inlineScript } from '../http/page.ts';

export const TRY_IT_SCRIPT = inlineScript(readScript(new URL('./try-it.client.js', import.meta.url)));

/** Renders the form, or nothing for an operation that a browser must navigate to. */
export function tryItForm(entry: Entry): Html {
  const { path, method, operation } = entry;
  const { operationId: id, parameters = [] } = operation;
  if (operation.responses[302] !== undefined) return html``;
  const [example] = exampleRequests({ ...entry, origin: '' });
  const { credentials, body } = example ?? { credentials: 'none', body: undefined };
  return html`<details class="try" hidden><summary>Try it</summary>
<form data-method="${method.toUpperCase()}" data-path="${path}" data-credentials="${credentials}" autocomplete="off">
<p class="hint">${method === 'get' ? 'Calls' : 'This is done for real: it calls'} this server. In a <a href="/docs/sandbox">sandbox</a> nothing of anybody’s can be
broken${credentials === 'user' && html`, and its application’s page shows an access token`}.</p>
${credentials === 'user' && secretField(id, 'token', 'Access token')}
${credentials === 'application' && html`${field(id, { name: 'client_id', label: 'client_id', part: 'client' })}${secretField(id, 'secret', 'client_secret')}`}
${parameters.map((parameter) => parameterField(id, parameter))}
${body?.type === 'form' && body.fields.map(([name, value]) => field(id, { name, label: name, part: 'form', value }))}
${body?.type === 'json' && jsonField(id, body.value)}
<button class="small">Send</button>
</form>
<div class="tried" role="status"></div>
</details>`;
}

type Field = {
  readonly name: string;
  readonly label: string;
  /** The part of the request that contains the value. */
  readonly part: string;
  readonly value?: string;
  readonly isRequired?: boolean;
};

const field = (id: string, { name, label, part, value = '', isRequired = false }: Field): Html =>
  html`<label for="try-${id}-${part}-${name}">${label}</label>
<input id="try-${id}-${part}-${name}" name="${name}" data-part="${part}" value="${value}"${isRequired && html` required`} spellcheck="false">
`;

/** Hides the typed value, and browsers do not offer to save it. */
const secretField = (id: string, part: string, label: string): Html =>
  html`<label for="try-${id}-${part}">${label}</label>
<input id="try-${id}-${part}" type="password" data-part="${part}" required autocomplete="off" spellcheck="false">
`;

/** Examples of optional parameters are not filled in. */
const parameterField = (id: string, { name, in: part, required, example }: OpenApiParameter): Html =>
  field(id, {
    ...{ name, part, isRequired: required },
    label: required ? name : `${name} (optional)`,
    value: required && example !== undefined ? String(example) : '',
  });

const jsonField = (id: string, value: unknown): Html => html`<label for="try-${id}-body">Body</label>
<textarea id="try-${id}-body" data-part="json" rows="8" spellcheck="false">${JSON.stringify(value, null, 2)}</textarea>
`;
