/** An example call of an operation: its required parameters and its body, with their examples filled in. */
import type { OpenApiOperation } from './openapi-document.ts';

export type ExampleCall = {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
  readonly origin: string;
};

export type ExampleRequest = {
  readonly method: string;
  readonly url: string;
  /** The caller's credentials: an access token, HTTP Basic, or none. */
  readonly credentials: 'user' | 'application' | 'none';
  readonly body:
    | { readonly type: 'json'; readonly value: unknown }
    | { readonly type: 'form'; readonly fields: readonly (readonly [name: string, value: string])[] }
    | undefined;
};

export function exampleRequest({ path, method, operation, origin }: ExampleCall): ExampleRequest {
  const { parameters = [], requestBody, security } = operation;
  const needed = parameters.filter(({ required }) => required);
  const filled = needed
    .filter((one) => one.in === 'path')
    .reduce(
      (text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example))),
      path,
    );
  const query = needed
    .filter((one) => one.in === 'query')
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
    .join('&');
  return {
    method: method.toUpperCase(),
    url: `${origin}${filled}${query && `?${query}`}`,
    credentials: chooseExampleLogin(security),
    body: toExampleBody(requestBody),
  };
}

function chooseExampleLogin([first]: OpenApiOperation['security']): ExampleRequest['credentials'] {
  if (first === undefined) return 'none';
  if ('accessToken' in first) return 'user';
  return 'application' in first ? 'application' : 'none';
}

function toExampleBody(body: OpenApiOperation['requestBody']): ExampleRequest['body'] {
  const [first] = Object.entries(body?.content ?? {});
  if (first === undefined) return undefined;
  const [type, { example }] = first;
  if (type === 'application/json') return { type: 'json', value: example };
  const fields: Readonly<Record<string, unknown>> = { ...Object(example) };
  return { type: 'form', fields: Object.entries(fields).map(([name, value]) => [name, String(value)]) };
}
