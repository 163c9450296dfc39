/** Generates requests from an OpenAPI document: valid, at the bounds of a field, and broken. */
import fc from 'fast-check';

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
};
type Parameter = {
  readonly in: string;
  readonly name: string;
  readonly schema?: Schema;
  readonly example?: unknown;
};
type Operation = {
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: object }>>;
  };
};
export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
};

/** A request whose texts can contain names in braces, such as `{access_token}`: each side fills in its own. */
export type GeneratedRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
};

const METHODS = ['get', 'post', 'put', 'delete'];
/** The document states limits that the base did not document. */
const LEFT_OUT = '/openapi.json';
const ODD = [
  '',
  ' ',
  '\0',
  'null',
  '[]',
  '{}',
  '{"a":',
  '0',
  '-1',
  '1e309',
  '9007199254740993',
  'é😀',
  '%',
  '__proto__',
];
const AUTHORIZATIONS = ['', 'Bearer', 'Bearer x', 'Bearer {refresh_token}', 'Basic {basic}', 'Basic eA=='];

/** Returns `count` requests, the same for the same document and seed. */
export function generateRequests(api: ApiDocument, { count, seed }: { count: number; seed: number }) {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const operation = methods[method];
      return operation === undefined || path === LEFT_OUT
        ? []
        : [requestOf(api, { method, path, operation })];
    }),
  );
  return fc.sample(fc.oneof(...operations), { numRuns: count, seed });
}

type Place = { readonly method: string; readonly path: string; readonly operation: Operation };

function requestOf(api: ApiDocument, { method, path, operation }: Place): fc.Arbitrary<GeneratedRequest> {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    parameter.$ref === undefined
      ? parameter
      : (api.components.parameters?.[readName(parameter.$ref)] ?? parameter),
  );
  const placed = (place: string) =>
    fieldsOf(
      api,
      parameters.filter((parameter) => parameter.in === place),
    );
  const authorization = fc.oneof(
    { weight: 8, arbitrary: fc.constant(usesSecret(path) ? 'Basic {basic}' : 'Bearer {access_token}') },
    { weight: 1, arbitrary: fc.constantFrom(...AUTHORIZATIONS) },
  );
  const parts = { query: placed('query'), inPath: placed('path'), header: placed('header') };
  return fc.record({ ...parts, authorization, body: bodyOf(api, operation) }).map((drawn) => {
    const inPath = Object.fromEntries(drawn.inPath);
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(inPath[name] ?? 'none'),
    );
    const query = new URLSearchParams(drawn.query).toString();
    const headers = Object.fromEntries(
      drawn.header.map(([name, text]) => [name, text.replace(/[^ -~]/g, '?')]),
    );
    const { authorization, body } = drawn;
    return {
      method: method.toUpperCase(),
      path: query === '' ? filled : `${filled}?${query}`,
      headers: {
        ...headers,
        ...(authorization !== '' && { authorization }),
        ...(body !== undefined && { 'content-type': body.type }),
      },
      body: body?.text,
    };
  });
}

const usesSecret = (path: string): boolean =>
  /^\/(token|revoke|par|users|webhooks\/(del|rep|lis))/.test(path);

type Fields = [name: string, text: string][];

/** Most fields are valid, some are odd or repeated, some are missing. */
function fieldsOf(api: ApiDocument, parameters: readonly Parameter[]): fc.Arbitrary<Fields> {
  const each = parameters.map(({ name, schema = {}, example }) =>
    fc
      .tuple(arbitraryValue(api, schema, example), fc.constantFrom(1, 1, 1, 1, 0, 0, 2))
      .map(([value, times]) =>
        Array.from({ length: times }, () => [name, toText(value)] as [string, string]),
      ),
  );
  return fc.tuple(...each).map((fields) => fields.flat());
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function arbitraryValue(api: ApiDocument, schema: Schema, example: unknown): fc.Arbitrary<unknown> {
  const resolved = resolve(api, schema);
  const { enum: words, minimum, maximum, maxLength } = resolved;
  const bounds = [minimum, maximum].flatMap((bound) =>
    bound === undefined ? [] : [bound - 1, bound, bound + 1],
  );
  const lengths = maxLength === undefined ? [] : ['a'.repeat(maxLength), 'a'.repeat(maxLength + 1)];
  const valid = [example, ...(words ?? []), ...bounds, ...lengths].filter((value) => value !== undefined);
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...(valid.length > 0 ? valid : ['a'])) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(...ODD) },
  );
}

type Body = { readonly type: string; readonly text: string };

function bodyOf(api: ApiDocument, { requestBody }: Operation): fc.Arbitrary<Body | undefined> {
  if (requestBody === undefined) return fc.constant(undefined);
  const bodies = Object.entries(requestBody.content).map(([type, { schema, example = {} }]) => {
    const { properties = {} } = resolve(api, schema);
    const changes = fc
      .constantFrom(...Object.keys(properties), 'unknown')
      .chain((name) =>
        fc
          .oneof(
            { weight: 3, arbitrary: arbitraryValue(api, properties[name] ?? {}, undefined) },
            { weight: 1, arbitrary: fc.constantFrom<unknown>(null, undefined, 1, true, [], {}, '') },
          )
          .map((value) => [name, value] as const),
      );
    return fc.array(changes, { maxLength: 2 }).map((changed) => {
      const fields = { ...fillPlaces(example), ...Object.fromEntries(changed) };
      const isForm = type.includes('form');
      const pairs = Object.entries(fields).map(([name, value]): [string, string] => [
        name,
        toText(value ?? ''),
      ]);
      return { type, text: isForm ? new URLSearchParams(pairs).toString() : JSON.stringify(fields) };
    });
  });
  const broken = fc
    .constantFrom('', '{', 'null', '[]', '"a"', '{"__proto__":{}}')
    .map((text) => ({ type: 'application/json', text }));
  return fc.oneof({ weight: 9, arbitrary: fc.oneof(...bodies) }, { weight: 1, arbitrary: broken });
}

/** Puts what exists in the places of the examples that name a secret, a token or an id. */
const fillPlaces = (example: object): object =>
  Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, PLACES.includes(name) ? `{${name}}` : value]),
  );
const PLACES = ['client_id', 'client_secret', 'redirect_uri', 'code', 'refresh_token', 'token'];

const resolve = (api: ApiDocument, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (api.components.schemas?.[readName(schema.$ref)] ?? {});

const readName = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);
