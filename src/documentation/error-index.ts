/**
 * The index of errors: each `code` of the REST interface and each `error` of the token endpoint, with when it is answered and what
 * to do. docs/errors.md is made of it. A test holds it against every place that refuses.
 */

import { SETTINGS, WEBHOOKS } from './application-errors.ts';
import { READING, WRITING } from './calendar-errors.ts';
import { ANY_CALL, AUTHORIZATION } from './call-errors.ts';
import type { IndexedError } from './indexed-error.ts';

export type ErrorGroup = {
  readonly title: string;
  readonly errors: readonly IndexedError[];
};

export const ERROR_GROUPS: readonly ErrorGroup[] = [
  { title: 'Authorizing and tokens', errors: AUTHORIZATION },
  { title: 'Any call', errors: ANY_CALL },
  { title: 'Reading', errors: READING },
  { title: 'Writing', errors: WRITING },
  { title: 'Webhooks', errors: WEBHOOKS },
  { title: 'Settings of applications', errors: SETTINGS },
];

/** docs/errors.md. Each code is a heading, so that an answer can link to it. */
export function errorsDocument(): string {
  const groups = ERROR_GROUPS.map(({ title, errors }) => {
    const entries = errors.map(
      ({ code, status, when, remedy }) =>
        `### ${code}\n\nStatus ${status}. ${when}\n\n**What to do:** ${remedy}\n`,
    );
    return `## ${title}\n\n${entries.join('\n')}`;
  });
  return `# Errors

What an answer is refused with, when, and what to do. The REST interface says it in \`code\`, \`/token\`, \`/revoke\` and \`/par\` in \`error\`; the
bodies are described in the [wire interface](wire.md#31-bodies-of-errors). Codes do not change, messages may. With
[\`KALENDS_ERROR_LINKS\`](configuration.md) each refusal of the REST interface has a link to its place on this page in \`documentation\`.

${groups.join('\n')}
This page is generated from \`src/documentation/error-index.ts\` by \`npm run docs\`.
`;
}
