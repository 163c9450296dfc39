/** An example call of an operation: its required parameters and its body, with their examples filled in. */
import type { OpenApiOperation } from './openapi-document.ts';

export type ExampleCall = {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
  readonly origin: string;
};

export type ExampleRequest = {
  /** The difference from the other examples. Undefined if there is only one. */
  readonly title: string | undefined;
  readonly method: string;
  readonly url: string;
  /** The caller's credentials: an access token, HTTP Basic, or none. */
  readonly credentials: 'user' | 'application' | 'none';
  readonly body:
    | { readonly type: 'json'; readonly value: unknown }
    | { readonly type: 'form'; readonly fields: readonly (readonly [name: string, value: string])[] }
    | undefined;
};

/** Returns the examples of an operation: one, or one for each kind of caller if their bodies differ. */
export function exampleRequests({ path, method, operation, origin }: ExampleCall): readonly ExampleRequest[] {
  const { parameters = [], requestBody, security } = operation;
  const filled = parameters
    .filter((one) => one.in === 'path')
    .reduce(
      (text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example))),
      path,
    );
  const query = parameters
    .filter((one) => one.in === 'query' && (one.required || one['x-shown']))
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
    .join('&');
  return exampleBodies(requestBody).map(({ title, body }, index) => ({
    title,
    method: method.toUpperCase(),
    url: `${origin}${filled}${query && `?${query}`}`,
    credentials: chooseExampleLogin(security[index]),
    body,
  }));
}

function chooseExampleLogin(
  security: OpenApiOperation['security'][number] | undefined,
): ExampleRequest['credentials'] {
  if (security === undefined) return 'none';
  if ('accessToken' in security) return 'user';
  return 'application' in security ? 'application' : 'none';
}

type ExampleBody = Pick<ExampleRequest, 'title' | 'body'>;

function exampleBodies(body: OpenApiOperation['requestBody']): readonly ExampleBody[] {
  const [first] = Object.entries(body?.content ?? {});
  if (first === undefined) return [{ title: undefined, body: undefined }];
  const [type, { example, examples }] = first;
  if (examples === undefined) return [{ title: undefined, body: toExampleBody(type, example) }];
  return Object.values(examples).map(({ summary, value }) => ({
    title: summary,
    body: toExampleBody(type, value),
  }));
}

function toExampleBody(type: string, example: unknown): ExampleRequest['body'] {
  if (type === 'application/json') return { type: 'json', value: example };
  const fields: Readonly<Record<string, unknown>> = { ...Object(example) };
  return { type: 'form', fields: Object.entries(fields).map(([name, value]) => [name, String(value)]) };
}
