/** docs/errors.md: the tables of errors in the order of that page. A test finds tables that are missing here. */
import { ADMINISTRATION, ENDPOINTS, MEMBERS } from '../administration/operations/administration-error.ts';
import { SETTINGS } from '../branding/settings-error.ts';
import { RECONNECTING } from '../connect/accounts/reconnect-link.ts';
import { FREE_BUSY } from '../free-busy/availability.ts';
import { CLOSING } from '../http/closed-signal.ts';
import { DPOP } from '../http/dpop-error.ts';
import { READINESS } from '../http/ready.route.ts';
import { ANY_CALL, type ErrorRow } from '../http/refusal.ts';
import { SERVER } from '../http/server-error.ts';
import { AUTHORIZATION } from '../oauth/oauth-error.ts';
import { QUERY } from '../reading/events-query.ts';
import { CHANGES } from '../reading/list-changes.ts';
import { READING } from '../reading/read-error.ts';
import { REVIEWS } from '../verification/reviews.ts';
import { WATCHES } from '../watches/notices.ts';
import { WEBHOOKS } from '../webhooks/webhook-error.ts';
import { WRITING } from '../writing/calendar-turn.ts';
import { CONDITION } from '../writing/event-answer.ts';
import { IDEMPOTENCY, RESPONSE_LOST } from '../writing/idempotency.ts';

const { temporarily_unavailable, ...anyCall } = ANY_CALL;

export const ERROR_GROUPS: readonly { readonly title: string; readonly errors: readonly ErrorRow[] }[] = [
  {
    title: 'Authorizing and tokens',
    errors: Object.values({ ...AUTHORIZATION, ...DPOP, ...RECONNECTING, temporarily_unavailable }),
  },
  { title: 'Any request', errors: Object.values({ ...anyCall, ...SERVER, ...CLOSING, ...READINESS }) },
  { title: 'Reading', errors: Object.values({ ...READING, ...QUERY, ...CHANGES, ...FREE_BUSY }) },
  { title: 'Writing', errors: Object.values({ ...WRITING, ...IDEMPOTENCY, ...CONDITION }) },
  { title: 'Webhooks', errors: Object.values({ ...WEBHOOKS, ...WATCHES }) },
  { title: 'Settings of applications', errors: Object.values({ ...SETTINGS, ...REVIEWS }) },
  {
    title: 'Administration',
    errors: Object.values({ ...ADMINISTRATION, ...MEMBERS, ...ENDPOINTS, ...RESPONSE_LOST }),
  },
];

/** Returns docs/errors.md. Each code is a heading, so that a response can link to it. */
export function errorsDocument(): string {
  const groups = ERROR_GROUPS.map(({ title, errors }) => {
    const entries = errors.map(
      ({ code, status, otherStatuses = [], when, fix }) =>
        `### ${code}\n\nStatus ${[status, ...otherStatuses].sort().join(', ')}. ${when}\n\n**How to fix it:** ${fix}\n`,
    );
    return `## ${title}\n\n${entries.join('\n')}`;
  });
  return `# Errors

Find the code of an error response on this page to learn when it is sent and how to fix it. The REST interface sends the code in \`code\`;
\`/token\`, \`/revoke\`, \`/introspect\` and \`/par\` send it in \`error\`. The [wire interface](wire.md#31-bodies-of-errors) describes the bodies. Codes do not
change, messages may. If [\`KALENDS_ERROR_LINKS\`](configuration.md) is set, each error of the REST interface links to this page in
\`documentation\`.

${groups.join('\n')}
This page is generated from \`src/documentation/error-index.ts\` by \`npm run docs\`.
`;
}
