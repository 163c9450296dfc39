/**
 * Types of `@kalends/client` from the schemas of the OpenAPI document (packages/client/src/api-types.ts), and the operations
 * of `@kalends/client/admin`. `npm run docs` writes them.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { OpenApiDocument } from '../src/api-reference/openapi-document.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
export const ADMIN_CLIENT = 'packages/client/src/admin-operations.ts';
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
  return formatted(text, CLIENT_TYPES);
}

function formatted(input: string, file: string): string {
  const biome = path.join(ROOT, 'node_modules/.bin/biome');
  return execFileSync(biome, ['format', `--stdin-file-path=${file}`], { cwd: ROOT, input, encoding: 'utf8' });
}

/** Returns the source of `@kalends/client/admin`: types of the objects, and a row and a signature for each operation. */
export function adminClient({ components, paths }: OpenApiDocument): string {
  const { Error: _, ...schemas } = components.schemas as Readonly<Record<string, Schema>>;
  const types = Object.entries(schemas).map(
    ([name, schema]) => `export type ${name} = ${renderType(schema, ANY_NAME)};`,
  );
  const operations = Object.entries(paths as unknown as Paths).flatMap(([place, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ place, method, ...operation })),
  );
  const signatures = operations.map((operation) => `/** ${operation.summary}. */\n${signature(operation)}`);
  const rows = operations.map(
    ({ operationId, method, place }) =>
      `${operationId}: ['${method.toUpperCase()}', '${place.replace('/admin/v1', '')}'],`,
  );
  const text = `/** The administration API, from docs/admin-openapi.json, written by \`npm run docs\`. */

${types.join('\n\n')}

/** Options of a call. */
export type CallOptions = {
  /** The \`etag\` of an earlier result: the change fails with \`changed_meanwhile\` if there is another version. */
  readonly ifMatch?: string | undefined;
  /** Ends the call early. */
  readonly signal?: AbortSignal | undefined;
};

/** The operations. The input has the fields of the path, the query and the body. All fail with KalendsError. */
export type AdminOperations = {
${signatures.join('\n')}
};

/** The method and the path of each operation below \`/admin/v1\`. */
export const OPERATIONS = {
${rows.join('\n')}
} as const;
`;
  return formatted(text, ADMIN_CLIENT);
}

type Parameter = {
  readonly in: string;
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema;
};
type DescribedOperation = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<
    Record<
      string,
      { readonly headers?: object; readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }
    >
  >;
};
type Paths = Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;

/** Returns the type of an operation, as a member of an object type. A removal has another result for a dry run. */
function signature({ operationId, parameters = [], requestBody, responses }: DescribedOperation): string {
  const sent = parameters.filter(({ in: place }) => place !== 'header');
  const { properties = {}, required = [] } = requestBody?.content['application/json'].schema ?? {};
  const described = sent.map(({ name, schema, description }) => [name, { ...schema, description }] as const);
  const needed = [...sent.flatMap(({ name, required: isRequired }) => (isRequired ? name : [])), ...required];
  const input = { ...Object.fromEntries(described), ...properties } as Readonly<Record<string, Schema>>;
  const [success] = Object.entries(responses).flatMap(([status, one]) => (status < '300' ? one : []));
  const result = success?.content?.['application/json']?.schema;
  const etag = success?.headers !== undefined && 'ETag' in success.headers;
  const render = (fields: typeof input, names: readonly string[], returned: string) => {
    const members = `input${names.length === 0 ? '?' : ''}: ${renderMembers(fields, names, ANY_NAME)}`;
    const sentInput = Object.keys(fields).length === 0 ? 'input?: Readonly<Record<string, never>>' : members;
    return `${operationId}(${sentInput}, options?: CallOptions): Promise<${returned}>;`;
  };
  const typeOf = (schema: Schema | undefined) =>
    schema === undefined ? 'unknown' : renderType(schema, ANY_NAME);
  const versioned = (type: string) => (etag ? `(${type}) & { readonly etag?: string }` : type);
  const [removed, counts, ...others] = result?.anyOf ?? [];
  if (counts === undefined || others.length > 0 || input.dry_run === undefined)
    return render(input, needed, versioned(typeOf(result)));
  const ofDryRun = (only: boolean) => ({ ...input, dry_run: { ...input.dry_run, const: only } });
  return `${render(ofDryRun(false), needed, versioned(typeOf(removed)))}
/** The counts of a dry run, which removes nothing. */
${render(ofDryRun(true), [...needed, 'dry_run'], typeOf(counts))}`;
}

const ANY_NAME = (reference: string): string => reference.replace('#/components/schemas/', '');

const PRIMITIVES: Readonly<Record<string, string>> = {
  null: 'null',
  integer: 'number',
  object: 'Readonly<Record<string, unknown>>',
};

type Naming = (reference: string) => string;

function renderType(schema: Schema, nameOf: Naming = referencedName): string {
  const render = (part: Schema) => renderType(part, nameOf);
  const { $ref, anyOf, const: only, enum: values, items, properties, patternProperties = {}, type } = schema;
  if ($ref !== undefined) return nameOf($ref);
  if (anyOf !== undefined) return anyOf.map(render).join(' | ');
  if (only !== undefined) return literal(only);
  if (values?.toSorted().join() === 'false,true') return 'boolean';
  if (values !== undefined) return values.map(literal).join(' | ');
  if (items !== undefined) return `readonly (${render(items)})[]`;
  if (properties !== undefined) return renderMembers(properties, schema.required ?? [], nameOf);
  const [member] = Object.values(patternProperties);
  if (member?.type !== undefined) return `Readonly<Record<string, ${render(member)}>>`;
  return type === undefined ? 'unknown' : (PRIMITIVES[type] ?? type);
}

const literal = (value: unknown): string => JSON.stringify(value).replaceAll('"', "'");

function referencedName(reference: string): string {
  const schema = reference.replace('#/components/schemas/', '');
  const name = IMPORTED.includes(schema) ? schema : NAMES[schema];
  if (name === undefined) throw new Error(`The client has no type for the schema ${schema}`);
  return name;
}

function renderMembers(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
  nameOf: Naming,
): string {
  const members = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema)}readonly ${name}${required.includes(name) ? '' : '?'}: ${renderType(schema, nameOf)};`,
  );
  return `{\n${members.join('\n')}\n}`;
}

const comment = ({ description }: Schema): string =>
  description === undefined ? '' : `/** ${description} */\n`;
