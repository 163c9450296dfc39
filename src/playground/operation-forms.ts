/** The operations of the API reference as forms: a pure function of the OpenAPI document. */
import {
  firstExample,
  type OpenApiDocument,
  type OpenApiOperation,
} from '../api-reference/openapi-document.ts';
import type { Json } from '../api-reference/schema-references.ts';

/** `json`: a field with nested values is typed as JSON. */
export type FieldKind = 'text' | 'number' | 'choice' | 'flag' | 'json';

export type OperationField = {
  /** The name in the form: parameters and fields of the body may have the same label. */
  readonly name: string;
  /** The name on the wire. */
  readonly label: string;
  readonly place: 'path' | 'query' | 'header' | 'body';
  readonly kind: FieldKind;
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly about: string | undefined;
  readonly example: string;
};

/** The caller of an operation: the test user, the application, either of them, or anybody. */
export type OperationCaller = 'user' | 'application' | 'either' | 'anybody';

export type OperationForm = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly group: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly caller: OperationCaller;
  readonly fields: readonly OperationField[];
  readonly hasBody: boolean;
};

/** The operation that is a page for users' browsers, not a call. */
const PAGES = ['startAuthorization'];
/** The application's credentials are sent in the header. */
const CREDENTIALS = ['client_id', 'client_secret'];

/** Returns all operations that can be called, in the order of the reference. */
export function operationForms(document: OpenApiDocument): readonly OperationForm[] {
  const schemas = document.components.schemas;
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => !PAGES.includes(operationId))
      .map(([method, operation]) => toOperationForm({ path, method, operation }, schemas)),
  );
}

type Described = {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
};
type Schemas = Readonly<Record<string, Json>>;

function toOperationForm({ path, method, operation }: Described, schemas: Schemas): OperationForm {
  const { operationId, tags, summary, description, security, parameters = [], requestBody } = operation;
  const inAddress = parameters.map(({ name, in: place, required, schema, ...facts }) =>
    toOperationField(
      { label: name, place: toPlace(place), isRequired: required, schema, about: facts.description },
      { schemas, example: facts.example },
    ),
  );
  return {
    ...{ id: operationId, method: method.toUpperCase(), path, summary, description },
    group: tags[0] ?? '',
    caller: toOperationCaller(security),
    fields: [...inAddress, ...bodyFields(requestBody, schemas)],
    hasBody: requestBody !== undefined,
  };
}

const toPlace = (place: string): OperationField['place'] =>
  place === 'path' || place === 'header' ? place : 'query';

function toOperationCaller(security: OpenApiOperation['security']): OperationCaller {
  const takesUser = security.some((one) => 'accessToken' in one);
  const takesApplication = security.some((one) => 'application' in one);
  if (takesUser) return takesApplication ? 'either' : 'user';
  return takesApplication ? 'application' : 'anybody';
}

function bodyFields(body: OpenApiOperation['requestBody'], schemas: Schemas): OperationField[] {
  const [content] = Object.values(body?.content ?? {});
  if (content === undefined) return [];
  const { properties, required } = resolved(content.schema, schemas);
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const example = asJson(firstExample(content));
  return Object.entries(asJson(properties))
    .filter(([label]) => !CREDENTIALS.includes(label))
    .map(([label, schema]) =>
      toOperationField(
        { label, place: 'body', isRequired: needed.includes(label), schema: asJson(schema) },
        { schemas, example: example[label] },
      ),
    );
}

type FieldFacts = Pick<OperationField, 'label' | 'place' | 'isRequired'> & {
  readonly schema: Json;
  readonly about?: string;
};

function toOperationField(
  { label, place, isRequired, schema, about }: FieldFacts,
  { schemas, example }: { readonly schemas: Schemas; readonly example: unknown },
): OperationField {
  const plain = resolved(schema, schemas);
  const choices = Array.isArray(plain.enum) ? plain.enum.map(String) : [];
  const description = schema.description ?? plain.description;
  return {
    ...{ name: `${place}.${label}`, label, place, isRequired, choices },
    kind: choices.length > 0 ? 'choice' : toFieldKind(plain),
    about: about ?? (typeof description === 'string' ? description : undefined),
    example: example === undefined ? '' : typeof example === 'string' ? example : JSON.stringify(example),
  };
}

function toFieldKind({ type }: Json): FieldKind {
  switch (type) {
    case 'string':
      return 'text';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'flag';
    default:
      return 'json';
  }
}

/** Returns the schema behind a reference. For a nullable value, returns the value's schema. */
function resolved(schema: Json, schemas: Schemas): Json {
  const { $ref: reference, anyOf } = schema;
  if (typeof reference === 'string') return schemas[reference.replace('#/components/schemas/', '')] ?? {};
  const options = Array.isArray(anyOf) ? anyOf.map(asJson).filter(({ type }) => type !== 'null') : [];
  const [only, ...others] = options;
  return only !== undefined && others.length === 0 ? resolved(only, schemas) : schema;
}

const asJson = (value: unknown): Json => (typeof value === 'object' && value !== null ? { ...value } : {});
