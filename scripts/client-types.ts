/**
 * Types of `@kalends/client` from the schemas of the OpenAPI document: packages/client/src/api-types.ts, which
 * `npm run docs` writes.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { OpenApiDocument } from '../src/api-reference/openapi-document.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
export const CLIENT_TYPES = 'packages/client/src/api-types.ts';

/** The generated schemas, and their names in the client. All other schemas are written by hand. */
const NAMES: Readonly<Record<string, string>> = {
  ApplicationUser: 'ApplicationUser',
  CalendarPayload: 'CalendarPayload',
  ConnectionPayload: 'ConnectionPayload',
  DeletedUser: 'DeletedUser',
  Delivery: 'LoggedDelivery',
  DeliveryDetails: 'LoggedDeliveryDetails',
  EventsPayload: 'EventsPayload',
  HandedDelivery: 'HandedDelivery',
  Introspection: 'Introspection',
  Subscribed: 'Subscribed',
  Subscription: 'Subscription',
};
/** Schemas that the generated types use and that are written by hand. */
const IMPORTED = ['DeliveredEvent'];

type Schema = {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly const?: unknown;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly type?: string;
};

/** Returns the source of the types, formatted. Throws if a schema is missing. */
export function clientTypes({ components }: OpenApiDocument): string {
  const types = Object.entries(NAMES).map(([schema, name]) => {
    const definition: Schema | undefined = components.schemas[schema];
    if (definition === undefined) throw new Error(`The OpenAPI document has no schema ${schema}`);
    return `${comment(definition)}export type ${name} = ${renderType(definition)};`;
  });
  const text = `/** Types from docs/openapi.json, written by \`npm run docs\`. */
import type { ${IMPORTED.join(', ')} } from './event-shapes.ts';

${types.join('\n\n')}
`;
  const biome = path.join(ROOT, 'node_modules/.bin/biome');
  return execFileSync(biome, ['format', `--stdin-file-path=${CLIENT_TYPES}`], {
    cwd: ROOT,
    input: text,
    encoding: 'utf8',
  });
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  integer: 'number',
  object: 'Readonly<Record<string, unknown>>',
};

function renderType(schema: Schema): string {
  const { $ref, anyOf, const: only, enum: values, items, properties, patternProperties = {}, type } = schema;
  if ($ref !== undefined) return referencedName($ref);
  if (anyOf !== undefined) return anyOf.map(renderType).join(' | ');
  if (only !== undefined) return literal(only);
  if (values !== undefined) return values.map(literal).join(' | ');
  if (items !== undefined) return `readonly (${renderType(items)})[]`;
  if (properties !== undefined) return renderMembers(properties, schema.required ?? []);
  const [member] = Object.values(patternProperties);
  if (member?.type !== undefined) return `Readonly<Record<string, ${renderType(member)}>>`;
  return type === undefined ? 'unknown' : (PRIMITIVES[type] ?? type);
}

const literal = (value: unknown): string => JSON.stringify(value).replaceAll('"', "'");

function referencedName(reference: string): string {
  const schema = reference.replace('#/components/schemas/', '');
  const name = IMPORTED.includes(schema) ? schema : NAMES[schema];
  if (name === undefined) throw new Error(`The client has no type for the schema ${schema}`);
  return name;
}

function renderMembers(properties: Readonly<Record<string, Schema>>, required: readonly string[]): string {
  const members = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema)}readonly ${name}${required.includes(name) ? '' : '?'}: ${renderType(schema)};`,
  );
  return `{\n${members.join('\n')}\n}`;
}

const comment = ({ description }: Schema): string =>
  description === undefined ? '' : `/** ${description} */\n`;
