/** What an answer of Microsoft Graph that is no success means. */
import type { HealthReason } from '../../calendars/health-reason.ts';
import { ProviderError, type ProviderErrorKind } from '../../calendars/provider-error.ts';
import type { EgressResponse } from '../../lib/egress/egress.ts';
import { jsonIn } from '../../lib/json.ts';
import { retryAfterOf } from '../../lib/retry-after.ts';

/** The answer behind a ProviderError, for decisions within this adapter and for the log. */
export class GraphRefusal extends Error {
  readonly status: number;
  /** Graph's own word, `ErrorItemNotFound`; empty when the answer has none. */
  readonly code: string;

  constructor(status: number, code: string, text: string) {
    super(`${status} ${code}: ${text}`);
    this.name = 'GraphRefusal';
    this.status = status;
    this.code = code;
  }
}

/** The status of the answer that a failure comes from. */
export const statusOf = (failure: unknown): number | undefined =>
  failure instanceof ProviderError && failure.cause instanceof GraphRefusal
    ? failure.cause.status
    : undefined;

/** Graph's word for it. */
export const codeOf = (failure: unknown): string | undefined =>
  failure instanceof ProviderError && failure.cause instanceof GraphRefusal ? failure.cause.code : undefined;

/** (k) A delta link Graph no longer knows, in the words seen for it; 410 says the same without any. */
const FORGOTTEN = /^(syncstate|resyncrequired|fullsyncrequired|errorinvalidsyncstatedata)/i;
/** (k) Of an account without a mailbox in Exchange Online. */
const NO_MAILBOX = /^(mailboxnotenabledforrestapi|mailboxnotfound|errornonexistentmailbox)/i;
/** An id of another form, or not of this mailbox: nothing is found by it. */
const UNKNOWN_ID = /^(erroritemnotfound|errorinvalidid|errorfoldernotfound|errorcannotuse)/i;

export function refusalOf(answer: EgressResponse): ProviderError {
  const { status } = answer;
  const { code, message } = errorIn(answer);
  const cause = new GraphRefusal(status, code, message);
  const wait = retryAfterOf((name) => answer.header(name));
  const refuse = (kind: ProviderErrorKind, text: string, reason?: HealthReason) =>
    new ProviderError(kind, text, {
      cause,
      ...(reason === undefined ? {} : { reason }),
      ...(wait === undefined ? {} : { retryAfter: wait }),
    });

  if (status === 410 || FORGOTTEN.test(code))
    return refuse('sync_token_expired', 'Microsoft has forgotten the last sync');
  if (NO_MAILBOX.test(code)) return refuse('no_calendars', 'This Microsoft account has no mailbox');
  if (status === 401)
    return refuse('unauthorized', 'Microsoft refuses the access it gave', 'reauthentication_demanded');
  if (status === 403)
    return refuse(
      'permission_missing',
      'The permission for calendars is missing',
      'calendar_permission_missing',
    );
  if (status === 404 || UNKNOWN_ID.test(code)) return refuse('not_found', 'Microsoft has no such calendar');
  if (status === 412) return refuse('precondition_failed', 'It was changed meanwhile');
  // Without Retry-After a 503 says that Microsoft is out of order; with it, that it has too much to do.
  if (status === 429 || status === 509 || (status === 503 && wait !== undefined))
    return refuse('rate_limited', 'Microsoft asks to wait', 'user_quota_exhausted');
  if (status >= 500) return refuse('unavailable', 'Microsoft is out of order', 'provider_unavailable');
  return refuse('invalid_response', 'Microsoft refuses a request of ours', 'provider_answer_unreadable');
}

/** `{ error: { code, message } }`; gateways in between answer without it. */
function errorIn({ body }: EgressResponse): { readonly code: string; readonly message: string } {
  const error = memberOf(jsonIn(body.toString('utf8')), 'error');
  const code = memberOf(error, 'code');
  const message = memberOf(error, 'message');
  return {
    code: typeof code === 'string' ? code : '',
    message: typeof message === 'string' ? message.slice(0, 300) : '',
  };
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
