/** GET /docs: the document as a page to read. Plain HTML without scripts or external resources. */
import { type Html, html, trusted } from '../http/html.ts';
import { hashSource } from '../http/page.ts';
import { curlOf } from './curl-example.ts';
import type {
  Content,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
} from './openapi-document.ts';
import type { Json } from './schema-references.ts';

const STYLES = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif;
  background: light-dark(#fff, #131519); color: light-dark(#1b1d21, #e6e8eb); --line: light-dark(#d0d4da, #3b4048);
  --soft: light-dark(#f4f5f7, #1d2025); --link: light-dark(#0b57d0, #8ab4f8); }
body { margin: 0 auto; max-inline-size: 60rem; padding: 1.5rem; }
a { color: var(--link); }
h1, h2, h3 { line-height: 1.2; }
h2 { margin-block-start: 3rem; }
section section { border-block-start: 1px solid var(--line); padding-block: .5rem 1.5rem; }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
pre { background: var(--soft); overflow: auto; padding: .75rem; border-radius: .375rem; }
table { border-collapse: collapse; inline-size: 100%; margin-block: .5rem 1rem; }
th, td { border-block-end: 1px solid var(--line); padding: .375rem .5rem .375rem 0; text-align: start; vertical-align: top; }
td:first-child { inline-size: 14rem; overflow-wrap: anywhere; }
nav ul { columns: 2 18rem; list-style: none; padding: 0; }
summary { cursor: pointer; }
.method { text-transform: uppercase; }`;

/** The policy that `sendPage` needs for the page. */
export const PAGE_POLICY = { styleSource: hashSource(STYLES) };

type Entry = { readonly path: string; readonly method: string; readonly operation: OpenApiOperation };

/** The page. Every operation has its id as its anchor, every named shape `schema-NAME`. */
export function pageOf(document: OpenApiDocument): Html {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = document.tags.map(({ name }) => ({
    name,
    entries: entries.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const origin = document.servers[0]?.url ?? '';
  return html`<html lang="en">
<head>
<meta charset="utf-8">
<title>Kalends API reference</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${trusted(STYLES)}</style>
</head>
<body>
<header>
<h1>Kalends API reference</h1>
<p>Version ${document.info.version}. The same as an <a href="/openapi.json">OpenAPI document</a>.</p>
${document.info.description.split('\n\n').map((text) => html`<p>${withCode(text)}</p>`)}
</header>
<nav aria-label="Operations">
${groups.map(({ name, entries }) => html`<h2>${name}</h2><ul>${entries.map(entryLink)}</ul>`)}
</nav>
<main>
${groups.map(
  (group) => html`<section aria-labelledby="${anchorOf(group.name)}">
<h2 id="${anchorOf(group.name)}">${group.name}</h2>
${group.entries.map((entry) => operationSection(entry, origin))}
</section>`,
)}
<section aria-labelledby="shapes">
<h2 id="shapes">Shapes</h2>
${Object.entries(document.components.schemas).map(([name, schema]) => shapeSection(name, schema))}
</section>
</main>
</body>
</html>
`;
}

const anchorOf = (name: string): string => `group-${name.toLowerCase().replaceAll(' ', '-')}`;

const entryLink = ({ path, method, operation }: Entry) =>
  html`<li><a href="#${operation.operationId}"><code><span class="method">${method}</span> ${path}</code></a></li>`;

function operationSection(entry: Entry, origin: string): Html {
  const { path, method, operation } = entry;
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  return html`<section aria-labelledby="${operationId}">
<h3 id="${operationId}">${summary}</h3>
<p><code><span class="method">${method}</span> ${path}</code></p>
${description !== undefined && html`<p>${withCode(description)}</p>`}
<p>${callersText(operation)}</p>
${parameters.length > 0 && parameterTable(parameters)}
${requestBody !== undefined && html`<h4>Body</h4>${contentBlock(requestBody.content)}`}
<h4>Example</h4>
<pre tabindex="0"><code>${curlOf({ path, method, operation, origin })}</code></pre>
<h4>Answers</h4>
${Object.entries(responses).map(([status, response]) => responseBlock(status, response))}
</section>`;
}

function callersText({ security }: OpenApiOperation): string {
  const callers = security.map((one) => {
    const [scope] = one.accessToken ?? [];
    if (scope !== undefined)
      return `an access token of scope ${scope}${scope === 'read-write' ? '' : ' or wider'}`;
    return 'application' in one ? 'HTTP Basic of the application' : 'no authentication';
  });
  return `Called with ${callers.join(', or ')}.`;
}

const parameterTable = (parameters: readonly OpenApiParameter[]) => html`<h4>Parameters</h4>
<table>
<thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${parameters.map(
  ({ name, in: where, required, description, schema }) => html`<tr>
<td><code>${name}</code></td><td>${where}</td>
<td>${required && html`<strong>Required.</strong> `}${typeText(schema)}. ${withCode(description)}</td>
</tr>`,
)}
</tbody>
</table>`;

function contentBlock(content: Content): Html {
  const types = Object.keys(content);
  const [first] = Object.values(content);
  if (first === undefined) return html``;
  return html`<p><code>${types.join(', ')}</code>: ${typeText(first.schema)}</p>
${first.example !== undefined && html`<pre tabindex="0"><code>${JSON.stringify(first.example, null, 2)}</code></pre>`}`;
}

function responseBlock(status: string, { description, headers = {}, content }: OpenApiResponse): Html {
  const examples = Object.entries(content?.['application/json']?.examples ?? {});
  const names = Object.keys(headers);
  const heading = html`<summary><strong>${status}</strong> ${withCode(description)}</summary>`;
  return html`<details>${heading}
${names.length > 0 && html`<p>Headers: ${names.join(', ')}.</p>`}
${content !== undefined && contentBlock(content)}
${examples.map(
  ([code, { summary, value }]) => html`<p><code>${code}</code>: ${withCode(summary)}</p>
<pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`,
)}
</details>`;
}

function shapeSection(name: string, schema: Json): Html {
  const { description, properties } = schema;
  const members = Object.entries(isJson(properties) ? properties : {});
  const needed: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return html`<section aria-labelledby="schema-${name}">
<h3 id="schema-${name}">${name}</h3>
${typeof description === 'string' && html`<p>${withCode(description)}</p>`}
${members.length === 0 && html`<p>${typeText(schema)}</p>`}
${
  members.length > 0 &&
  html`<table>
<thead><tr><th scope="col">Member</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${members.map(([member, value]) => memberRow(member, isJson(value) ? value : {}, needed.includes(member)))}
</tbody>
</table>`
}
</section>`;
}

const memberRow = (name: string, schema: Json, isNeeded: boolean) => html`<tr>
<td><code>${name}</code>${!isNeeded && ' (optional)'}</td>
<td>${typeText(schema)}. ${typeof schema.description === 'string' && withCode(schema.description)}</td>
</tr>`;

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema's type in short; a named schema as a link. */
function typeText(schema: unknown): Html {
  if (!isJson(schema)) return html`anything`;
  const { $ref, anyOf, type, items, format, minimum, maximum } = schema;
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1) ?? '';
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (Array.isArray(anyOf)) return html`${anyOf.map((one, i) => html`${i > 0 && ' or '}${typeText(one)}`)}`;
  if (Array.isArray(schema.enum)) return html`one of ${codeList(schema.enum)}`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (type === 'array') return html`list of ${typeText(items)}`;
  const bounds =
    minimum === undefined ? '' : ` from ${minimum}${maximum === undefined ? '' : ` to ${maximum}`}`;
  return html`${typeof type === 'string' ? type : 'anything'}${typeof format === 'string' && ` (${format})`}${bounds}`;
}

const codeList = (values: readonly unknown[]) =>
  values.map((value, i) => html`${i > 0 && ', '}<code>${String(value)}</code>`);

/** Text with `code` in backticks. */
const withCode = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;
