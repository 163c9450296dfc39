/** The API reference as Markdown, for programs and for search. */
import { exampleCode } from './example-code.ts';
import { exampleRequests } from './example-request.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import {
  callersText,
  type Entry,
  type Group,
  listOperationErrors,
  listReferenceGroups,
  SHAPES_PATH,
} from './reference-groups.ts';
import { describeType, listMembers, type Member } from './schema-text.ts';

export function overviewMarkdown(document: OpenApiDocument): string {
  const groups = listReferenceGroups(document).map(({ name, address, entries }) => {
    const operations = entries.map(
      ({ path, method, operation }) => `- \`${method.toUpperCase()} ${path}\`: ${operation.summary}`,
    );
    return `## [${name}](${address}.md)\n\n${operations.join('\n')}\n`;
  });
  return [
    '# API reference\n',
    `Version ${document.info.version}. Also available as an [OpenAPI document](/openapi.json).\n`,
    `${document.info.description}\n`,
    ...groups,
    `## [Shapes](${SHAPES_PATH}.md)\n\nAll objects of requests and responses, with their fields.\n`,
  ].join('\n');
}

export const groupMarkdown = ({ name, entries }: Group, document: OpenApiDocument): string =>
  [`# ${name}\n`, ...entries.map((entry) => operationMarkdown(entry, document))].join('\n');

function operationMarkdown({ path, method, operation }: Entry, document: OpenApiDocument): string {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const origin = document.servers[0]?.url ?? '';
  const code = exampleRequests({ path, method, operation, origin }).flatMap((request) => [
    ...(request.title === undefined ? [] : [`${request.title}:\n`]),
    ...exampleCode(request).map(({ language, code: lines }) => fenced(language, lines)),
  ]);
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const fields = parameters.map(
    (one) =>
      `- \`${one.name}\` (${one.in}, ${typeText(one.schema)}${one.required ? ', required' : ''}): ${one.description}`,
  );
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const refusals = listOperationErrors(operation).map(
    ({ status, code: name, when }) => `- ${status} \`${name}\`: ${when}`,
  );
  return [
    `## ${summary}\n`,
    `\`${method.toUpperCase()} ${path}\`\n`,
    ...(description === undefined ? [] : [`${description}\n`]),
    `${callersText(operation)}\n`,
    ...listUnder('Parameters', fields),
    ...listUnder('Body', [
      ...(typeof body?.description === 'string' ? [`${body.description}\n`] : []),
      ...memberLines(listMembers(body, document)),
    ]),
    ...code,
    ...answers.flatMap(([status, { description: words, content }]) => {
      const { example, schema } = content?.['application/json'] ?? {};
      return [
        `### Answer ${status}\n\n${words}\n`,
        ...paragraph(memberLines(listMembers(schema, document))),
        ...(example === undefined ? [] : [fenced('json', JSON.stringify(example, null, 2))]),
      ];
    }),
    ...listUnder('Errors', refusals),
  ].join('\n');
}

export function shapesMarkdown(document: OpenApiDocument): string {
  const { schemas } = document.components;
  const shapes = Object.entries(schemas).map(([name, schema]) => {
    const { description } = schema;
    const members = listMembers(schema, document, { shapes: Object.keys(schemas) });
    return [
      `## ${name}\n`,
      ...(typeof description === 'string' ? [`${description}\n`] : []),
      ...(members.length === 0 ? [`${typeText(schema)}\n`] : paragraph(memberLines(members))),
    ].join('\n');
  });
  return ['# Shapes\n', ...shapes].join('\n');
}

/** Returns a list item for each field, and under it those of its object. */
const memberLines = (members: readonly Member[], indent = ''): string[] =>
  members.flatMap(({ name, schema, description = '', isRequired, members: nested }) => [
    `${indent}- \`${name}\` (${typeText(schema)}${isRequired ? ', required' : ''})${description && `: ${description}`}`,
    ...memberLines(nested, `${indent}  `),
  ]);

const paragraph = (lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${lines.join('\n')}\n`];

const listUnder = (heading: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`### ${heading}\n\n${lines.join('\n')}\n`];

const fenced = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\`\n`;

const typeText = (schema: unknown): string =>
  describeType(schema)
    .map((piece) => {
      if (piece.kind === 'shape') return piece.name;
      return piece.kind === 'code' ? `\`${piece.text}\`` : piece.text;
    })
    .join('');
