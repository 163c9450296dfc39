/** Renders an example request as code, with the README's environment variables as credentials. */
import type { ExampleRequest } from './example-request.ts';

export type ExampleCode = {
  readonly label: 'curl' | 'TypeScript' | 'Python';
  /** The name of the language in a code block. */
  readonly language: 'sh' | 'ts' | 'python';
  readonly code: string;
};

/** Returns the examples in the order in which pages show them. */
export const exampleCode = (request: ExampleRequest): readonly ExampleCode[] => [
  { label: 'curl', language: 'sh', code: renderCurl(request) },
  { label: 'TypeScript', language: 'ts', code: renderTypescript(request) },
  { label: 'Python', language: 'python', code: renderPython(request) },
];

function renderCurl({ method, url, credentials, body }: ExampleRequest): string {
  const authorization = {
    user: ['-H "Authorization: Bearer $ACCESS_TOKEN"'],
    application: ['-u "$CLIENT_ID:$CLIENT_SECRET"'],
    none: [],
  }[credentials];
  const lines = [
    `curl "${url}"`,
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...authorization,
    ...curlBody(body),
  ];
  return lines.join(' \\\n  ');
}

function curlBody(body: ExampleRequest['body']): string[] {
  if (body === undefined) return [];
  if (body.type === 'form')
    return body.fields.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`);
  return ['-H "Content-Type: application/json"', `-d ${quoted(setIn(JSON.stringify(body.value, null, 2)))}`];
}

/** Quotes a text as one argument of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function renderTypescript({ method, url, credentials, body }: ExampleRequest): string {
  const authorization = {
    user: [`authorization: \`Bearer \${process.env.ACCESS_TOKEN}\``],
    application: [
      `authorization: \`Basic \${btoa(\`\${process.env.CLIENT_ID}:\${process.env.CLIENT_SECRET}\`)}\``,
    ],
    none: [],
  }[credentials];
  const headers = [
    ...authorization,
    ...(body?.type === 'json' ? ["'content-type': 'application/json'"] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers.map((one) => `    ${one},`), '  },']),
    ...typescriptBody(body),
  ];
  const second = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return `const answer = await fetch(${JSON.stringify(url)}${second});
console.log(answer.status, await answer.text());`;
}

function typescriptBody(body: ExampleRequest['body']): string[] {
  if (body === undefined) return [];
  if (body.type === 'form')
    return [
      `  body: new URLSearchParams(${setIn(JSON.stringify(Object.fromEntries(body.fields), null, 2))}),`,
    ];
  return [`  body: JSON.stringify(${setIn(JSON.stringify(body.value, null, 2))}),`];
}

const setIn = (text: string): string => text.replaceAll('\n', '\n  ');

function renderPython({ method, url, credentials, body }: ExampleRequest): string {
  const isUser = credentials === 'user';
  const usesEnvironment = credentials !== 'none';
  const options = [
    ...(isUser ? [`headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},`] : []),
    ...(credentials === 'application'
      ? ['auth=(os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]),']
      : []),
    ...(body?.type === 'form' ? [`data=${setOptionIn(Object.fromEntries(body.fields))},`] : []),
    ...(body?.type === 'json' ? [`json=${setOptionIn(body.value)},`] : []),
  ];
  const rest = options.length === 0 ? '' : `,\n${options.map((one) => `    ${one}`).join('\n')}\n`;
  return `${usesEnvironment ? 'import os\n' : ''}import requests

answer = requests.${method.toLowerCase()}(${rest === '' ? '' : '\n    '}${JSON.stringify(url)}${rest})
print(answer.status_code, answer.text)`;
}

const setOptionIn = (value: unknown): string => pythonLiteral(value).replaceAll('\n', '\n    ');

/** Returns JSON as a Python literal. */
function pythonLiteral(value: unknown): string {
  const text = JSON.stringify(value, null, 4) ?? 'None';
  // Only values match: inside a string, the line ends with a quotation mark.
  return text.replace(/(?<=^|[:[,]\s*)(true|false|null)(?=,?$)/gm, (word) => PYTHON_WORDS[word] ?? word);
}

const PYTHON_WORDS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };
