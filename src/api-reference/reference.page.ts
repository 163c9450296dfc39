/** The API reference: an overview, a page for each group of operations with its code beside it, and the shapes. */
import { type Html, html } from '../http/html.ts';
import { exampleCode } from './example-code.ts';
import { exampleRequest } from './example-request.ts';
import type { Content, OpenApiDocument, OpenApiOperation, OpenApiParameter } from './openapi-document.ts';
import {
  callersText,
  type Entry,
  type Group,
  listOperationErrors,
  listReferenceGroups,
  SHAPES_PATH,
} from './reference-groups.ts';
import { describeType, listMembers, type Member } from './schema-text.ts';

/** Renders the content beside an operation, under its code. */
export type AsideOf = (entry: Entry) => Html;

/** Renders the general part, and a link to every operation. */
export const overview = (document: OpenApiDocument): Html => html`<h1>API reference</h1>
<p>Version ${document.info.version}. The same as an <a href="/openapi.json">OpenAPI document</a>.</p>
${document.info.description.split('\n\n').map((text) => html`<p>${withCode(text)}</p>`)}
${operationList(document)}
<h2><a href="${SHAPES_PATH}">Shapes</a></h2>
<p>All objects of requests and responses, with their fields.</p>`;

/** Renders every operation as a link, by group. `hasAnchors` adds ids for links from before there were pages. */
export const operationList = (document: OpenApiDocument, hasAnchors = false): Html =>
  html`${listReferenceGroups(document).map(
    ({ name, address, entries }) => html`<h2><a href="${address}">${name}</a></h2>
<ul class="operations">
${entries.map(
  ({ path, method, operation }) =>
    html`<li${hasAnchors && html` id="${operation.operationId}"`}><a href="${address}#${operation.operationId}"><code><span class="method">${method}</span> ${path}</code></a> ${operation.summary}</li>\n`,
)}</ul>
`,
  )}`;

export const groupPage = (
  group: Group,
  document: OpenApiDocument,
  asideOf: AsideOf,
): Html => html`<h1>${group.name}</h1>
${group.entries.map((entry) => operationSection(entry, document, asideOf))}`;

function operationSection(entry: Entry, document: OpenApiDocument, asideOf: AsideOf): Html {
  const { path, method, operation } = entry;
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  return html`<section class="operation" aria-labelledby="${operationId}">
<div class="words">
<h2 id="${operationId}">${summary}</h2>
<p class="address"><code><span class="method">${method}</span> ${path}</code></p>
${description !== undefined && html`<p>${withCode(description)}</p>`}
<p>${callersText(operation)}</p>
${parameters.length > 0 && html`<h3>Parameters</h3>${fieldList(parameters.map(fieldOfParameter))}`}
${requestBody !== undefined && bodyPart(requestBody.content, document)}
${answerPart(operation, document)}
${refusalPart(operation)}
</div>
<div class="beside">
${codeBlocks(entry, document.servers[0]?.url ?? '')}
${answerExamples(operation)}
${asideOf(entry)}
</div>
</section>
`;
}

type Field = Pick<Member, 'name' | 'schema' | 'isRequired'> & {
  readonly place?: string;
  readonly text: string;
};

const fieldOfParameter = ({ name, in: place, required, description, schema }: OpenApiParameter): Field => ({
  name,
  place,
  schema,
  isRequired: required,
  text: description,
});

const fieldOfMember = ({ description = '', ...member }: Member): Field => ({ ...member, text: description });

const fieldList = (fields: readonly Field[]): Html => html`<dl class="fields-of">
${fields.map(
  ({
    name,
    place,
    schema,
    isRequired,
    text,
  }) => html`<dt><code>${name}</code> <span class="type">${typeText(schema)}${place !== undefined && `, in the ${place}`}</span>${isRequired && html` <strong>required</strong>`}</dt>
<dd>${withCode(text)}</dd>
`,
)}</dl>
`;

function bodyPart(content: Content, document: OpenApiDocument): Html {
  const [first] = Object.values(content);
  const members = listMembers(first?.schema, document);
  return html`<h3>Body</h3>
<p><code>${Object.keys(content).join(', ')}</code>: ${typeText(first?.schema)}</p>
${members.length > 0 && fieldList(members.map(fieldOfMember))}`;
}

function answerPart({ responses }: OpenApiOperation, document: OpenApiDocument): Html {
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 400);
  if (answers.length === 0) return html``;
  return html`<h3>Answer</h3>
${answers.map(([status, { description, headers = {}, content }]) => {
  const [first] = Object.values(content ?? {});
  const members = listMembers(first?.schema, document);
  const names = Object.entries(headers);
  return html`<p><strong>${status}</strong> ${withCode(description)}${first !== undefined && html` ${typeText(first.schema)}.`}</p>
${names.length > 0 && html`<ul>${names.map(([name, { description: text }]) => html`<li><code>${name}</code>: ${withCode(text)}</li>`)}</ul>`}
${members.length > 0 && html`<details><summary>Its members</summary>${fieldList(members.map(fieldOfMember))}</details>`}`;
})}`;
}

function refusalPart(operation: OpenApiOperation): Html {
  const refusals = listOperationErrors(operation);
  if (refusals.length === 0) return html``;
  return html`<h3>Errors</h3>
<div class="wide" tabindex="0"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">When</th></tr></thead>
<tbody>
${refusals.map(
  ({ status, code, when }) =>
    html`<tr><td>${status}</td><td><code>${code}</code></td><td>${withCode(when)}</td></tr>\n`,
)}</tbody>
</table></div>`;
}

/** Renders the examples, the first one open, without a script. */
function codeBlocks({ path, method, operation }: Entry, origin: string): Html {
  const examples = exampleCode(exampleRequest({ path, method, operation, origin }));
  return html`${examples.map(
    ({ label, code }, i) =>
      html`<details name="code-${operation.operationId}"${i === 0 && html` open`}><summary>${label}</summary><pre tabindex="0"><code>${code}</code></pre></details>\n`,
  )}`;
}

const answerExamples = ({ responses }: OpenApiOperation): Html =>
  html`${Object.entries(responses).flatMap(([status, { content }]) => {
    const example = content?.['application/json']?.example;
    if (example === undefined) return [];
    return [
      html`<p class="label">Answer ${status}</p><pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>\n`,
    ];
  })}`;

/** Renders every named shape under `schema-NAME`. */
export const shapesPage = (document: OpenApiDocument): Html => html`<h1>Shapes</h1>
${Object.entries(document.components.schemas).map(([name, schema]) => {
  const members = listMembers(schema, document);
  const { description } = schema;
  return html`<h2 id="schema-${name}">${name}</h2>
${typeof description === 'string' && html`<p>${withCode(description)}</p>`}
${members.length === 0 ? html`<p>${typeText(schema)}</p>` : fieldList(members.map(fieldOfMember))}`;
})}`;

const typeText = (schema: unknown): Html =>
  html`${describeType(schema).map((piece) => {
    if (piece.kind === 'shape') return html`<a href="${SHAPES_PATH}#schema-${piece.name}">${piece.name}</a>`;
    return piece.kind === 'code' ? html`<code>${piece.text}</code>` : piece.text;
  })}`;

/** Renders text with `code` in backticks. */
const withCode = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;
