/** The API reference: an overview, a page for each group of operations with its code beside it, and the shapes. */
import { codeBlock } from '../design/highlight.ts';
import { type Html, html } from '../http/html.ts';
import { exampleCode } from './example-code.ts';
import { exampleRequests } from './example-request.ts';
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

/** An operation or a shape, with its heading. */
export type ReferencePiece = {
  readonly markup: Html;
  readonly heading: { readonly level: 2; readonly text: string; readonly anchor: string };
};

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

export const groupPieces = (
  { entries }: Group,
  document: OpenApiDocument,
  asideOf: AsideOf,
): readonly ReferencePiece[] =>
  entries.map((entry) => ({
    markup: operationSection(entry, document, asideOf),
    heading: { level: 2, text: entry.operation.summary, anchor: entry.operation.operationId },
  }));

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

type Field = Pick<Member, 'name' | 'schema' | 'isRequired' | 'description'> & {
  readonly place?: string;
  readonly members?: readonly Member[];
};

const fieldOfParameter = ({ in: place, required, ...parameter }: OpenApiParameter): Field => ({
  ...parameter,
  place,
  isRequired: required,
});

/** Renders fields, and under each the fields of its object. */
const fieldList = (fields: readonly Field[]): Html => html`<dl class="fields-of">
${fields.map(
  ({
    name,
    place,
    schema,
    isRequired,
    description = '',
    members = [],
  }) => html`<dt><code>${name}</code> <span class="type">${typeText(schema)}${place !== undefined && `, in the ${place}`}</span>${isRequired && html` <strong>required</strong>`}</dt>
<dd>${withCode(description)}${members.length > 0 && fieldList(members)}</dd>
`,
)}</dl>
`;

function bodyPart(content: Content, document: OpenApiDocument): Html {
  const [first] = Object.values(content);
  const description = first?.schema.description;
  return html`<h3>Body</h3>
<p><code>${Object.keys(content).join(', ')}</code>: ${typeText(first?.schema)}</p>
${typeof description === 'string' && html`<p>${withCode(description)}</p>`}
${memberList(listMembers(first?.schema, document))}`;
}

const memberList = (members: readonly Member[]): Html => (members.length > 0 ? fieldList(members) : html``);

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
${members.length > 0 && html`<details><summary>Its members</summary>${fieldList(members)}</details>`}`;
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
  const requests = exampleRequests({ path, method, operation, origin });
  return html`${requests.map((request, number) => {
    const examples = exampleCode(request).map(
      ({ label, language, code }, i) =>
        html`<details name="code-${operation.operationId}-${number}"${i === 0 && html` open`}><summary>${label}</summary>${codeBlock(code, language)}</details>\n`,
    );
    return html`${request.title !== undefined && html`<p class="label">${request.title}</p>`}${examples}`;
  })}`;
}

const answerExamples = ({ responses }: OpenApiOperation): Html =>
  html`${Object.entries(responses).flatMap(([status, { content }]) => {
    const example = content?.['application/json']?.example;
    if (example === undefined) return [];
    return [
      html`<p class="label">Answer ${status}</p>${codeBlock(JSON.stringify(example, null, 2), 'json')}\n`,
    ];
  })}`;

/** Renders every named shape under `schema-NAME`. Shapes in a shape are links. */
export function shapePieces(document: OpenApiDocument): readonly ReferencePiece[] {
  const { schemas } = document.components;
  return Object.entries(schemas).map(([name, schema]) => {
    const members = listMembers(schema, document, { shapes: Object.keys(schemas) });
    const { description } = schema;
    const markup = html`<h2 id="schema-${name}">${name}</h2>
${typeof description === 'string' && html`<p>${withCode(description)}</p>`}
${members.length === 0 ? html`<p>${typeText(schema)}</p>` : fieldList(members)}`;
    return { markup, heading: { level: 2, text: name, anchor: `schema-${name}` } };
  });
}

const typeText = (schema: unknown): Html =>
  html`${describeType(schema).map((piece) => {
    if (piece.kind === 'shape') return html`<a href="${SHAPES_PATH}#schema-${piece.name}">${piece.name}</a>`;
    return piece.kind === 'code' ? html`<code>${piece.text}</code>` : piece.text;
  })}`;

/** Renders text with `code` in backticks. */
const withCode = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;
