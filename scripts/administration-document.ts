/** docs/administration.md, from the table of operations. */
import { isInQuery } from '../src/administration/operations/operation.ts';
import { ADMIN_OPERATIONS, ADMIN_PREFIX } from '../src/administration/operations/operations.ts';
import { OPERATION_FORMS } from './administration-faces.ts';

/** Returns the page. */
export function administrationDocument(): string {
  const rows = ADMIN_OPERATIONS.map((row) => {
    const { id, method, path, summary, command, permission, fields } = row;
    const forms = (OPERATION_FORMS[id] ?? []).map((form) => `\`${form}\``);
    const names = Object.entries(fields).map(
      ([name, { isRequired }]) => `\`${name}\`${isRequired ? '*' : ''}`,
    );
    const place = names.length === 0 ? '–' : `${isInQuery(row) ? 'query' : 'body'}: ${names.join(', ')}`;
    const cells = [
      `\`${method.toUpperCase()} ${path}\`<br>${summary}`,
      command === undefined ? '–' : `[\`${command}\`](cli.md#${command.replaceAll(' ', '-')})`,
      forms.join(', ') || '–',
      `\`${permission}\``,
      place,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return `# Administration API

Use this API to create applications, rotate secrets and manage users from a program, without access to the database.

1. Create a key: \`kalends admin key create --name Deployment --role owner\`. It prints the key once. Without a shell on the
   server, set [\`KALENDS_ADMIN_KEY\`](configuration.md), which is an owner's key.
2. Send it with each request:

   <!-- snippet: not run, because it is one part of a request; test/administration/administration.test.ts sends them all -->
   \`\`\`http
   GET ${ADMIN_PREFIX}/applications?limit=10 HTTP/1.1
   Host: kalends.example
   Authorization: Bearer kal_adm_…
   \`\`\`

\`GET ${ADMIN_PREFIX}/openapi.json\` returns the OpenAPI 3.1 document, without a key; it is also [in the repository](admin-openapi.json).
[\`@kalends/client/admin\`](../packages/client/README.md#administration) is a typed client.

## Where it is served

By default, the API is at the origin of the [dashboard](dashboard.md), for the networks of \`KALENDS_DASHBOARD_NETWORKS\`; with the dashboard off it is
nowhere. \`KALENDS_ADMIN_ADDRESS=127.0.0.1:9465\` serves it only there, over plain HTTP: keep this port in your own network.
\`KALENDS_ADMIN_ADDRESS=off\` removes it. Workers never serve it.

## Keys

| Role | Its keys may |
| --- | --- |
| \`owner\` | everything |
| \`developer\` | work on its applications (\`--client\`), and see only their users |
| \`viewer\` | read all applications, with masked names of users |

A key works only for this API, which accepts nothing else: no client secret, no access token, no session. It expires after 365 days unless
\`--expires\` says otherwise. A key or a link for members works only as long as its creator: a key that is valid, or a member who is an owner. The creator of a removed
member's keys is the caller with \`kalends admin remove --keep-keys\` or \`keep_keys=true\`; otherwise these keys end. \`kalends admin key list\`
and *System* → *Admin keys* on the dashboard show the state and the last use.

\`kalends admin key rotate\` replaces the text of a key; the previous text is valid for another 24 hours. \`kalends admin key revoke\` ends a key at once,
and with it the keys and open links that it created; members who already joined stay. The check \`admin_keys\` of \`kalends doctor\` warns 14 days before
a key expires and fails 3 days before, except for keys that live at most 14 days. The [audit log](audit.md) names the key of each change.

## Requests

- Names are those of \`--json\`. Fields of GET and DELETE are in the query, otherwise in a JSON body of at most 16 kB. An unknown field is an error.
- A list has at most \`limit\` rows (1 to 200, 50 by default). \`next\` is the value of \`after\` for the next page, and null on the last one.
- \`DELETE …?dry_run=true\` deletes nothing and returns counts.
- [Errors](errors.md#administration) have the bodies of the [wire interface](wire.md#31-bodies-of-errors). A key that is missing, unknown, expired or revoked is always
  \`invalid_admin_key\`.
- Responses about an application and its branding have an \`ETag\`, the version of both. With \`If-Match\`, a change is refused with
  \`changed_meanwhile\` (412) if the version is another one. Other operations refuse \`If-Match\`.
- A logo is the body of its request, with its content type such as \`image/png\`, or Base64 in JSON.
- A network gets 429 after 30 requests a minute without a valid key, and a key after 1,200 requests a minute. A valid key is never limited by
  wrong ones. At most 4 requests of a key run at once.
- Send an \`Idempotency-Key\` with each POST (up to 255 characters): within 24 hours, the same key, path and body get the first response and act once,
  also after a crash. The stored response is sealed, and only the admin key that sent the request gets it, while it is valid. Another body with the
  same key is \`idempotency_key_reused\` (422). While the first request runs, a repetition waits for ten seconds and then gets
  \`idempotency_key_in_use\` (409). If the server ended after the change and before it stored the response, every repetition gets
  \`response_lost\` (409) and changes nothing: look at the list, and rotate a secret that you never received. Mails, checks and backups can happen twice
  if the server ends meanwhile.

## Operations

All paths begin with \`${ADMIN_PREFIX}\`. A field with * is required. *Form* is the form of the dashboard that does the same, below \`/dashboard\`. The other commands
run on the machine itself, and the other forms are about signing in, the member’s own account, the theme and the playground.

| Operation | Command | Form | Permission | Fields |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

This page is generated from \`src/administration/operations/\` by \`npm run docs\`.
`;
}
