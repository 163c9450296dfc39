/** An example call of an operation, to be pasted into a shell. */
import type { OpenApiOperation } from './openapi-document.ts';

export type ExampleCall = {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
  /** The server's. */
  readonly origin: string;
};

/** With the examples of required parameters and of the body; credentials are the variables the README uses. */
export function curlOf({ path, method, operation, origin }: ExampleCall): string {
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
  const lines = [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "${origin}${filled}${query && `?${query}`}"`,
    ...credentialArguments(security),
    ...bodyArguments(requestBody),
  ];
  return lines.join(' \\\n  ');
}

function credentialArguments([first]: OpenApiOperation['security']): string[] {
  if (first === undefined) return [];
  if ('accessToken' in first) return ['-H "Authorization: Bearer $ACCESS_TOKEN"'];
  return 'application' in first ? ['-u "$CLIENT_ID:$CLIENT_SECRET"'] : [];
}

function bodyArguments(body: OpenApiOperation['requestBody']): string[] {
  const [first] = Object.entries(body?.content ?? {});
  if (first === undefined) return [];
  const [type, { example }] = first;
  if (type === 'application/json')
    return [`-H "Content-Type: ${type}"`, `-d ${quoted(JSON.stringify(example))}`];
  const fields: Readonly<Record<string, unknown>> = { ...Object(example) };
  return Object.entries(fields).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`);
}

/** As one argument in a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
