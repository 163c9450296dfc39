/** Maps error responses of Microsoft Graph to their meaning. */
import { ProviderError } from '../../calendars/provider-error.ts';
import type { EgressResponse } from '../../lib/egress/egress.ts';
import { jsonIn } from '../../lib/json.ts';
import { parseRetryAfter } from '../../lib/retry-after.ts';
import { readMember, text } from '../json-value.ts';
import { type Meaning, refusalWith } from '../meaning.ts';

/** The response behind a ProviderError, for decisions within this adapter and for the log. */
class GraphRefusal extends Error {
  readonly status: number;
  /** Graph's error code, such as `ErrorItemNotFound`; empty if the response has none. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(`${status} ${code}: ${message}`);
    this.name = 'GraphRefusal';
    this.status = status;
    this.code = code;
  }
}

const findGraphRefusal = (failure: unknown): GraphRefusal | undefined =>
  failure instanceof ProviderError && failure.cause instanceof GraphRefusal ? failure.cause : undefined;

/** Returns the status of the response that caused a failure. */
export const findGraphStatus = (failure: unknown): number | undefined => findGraphRefusal(failure)?.status;

/** Returns Graph's error code for a failure. */
export const findGraphCode = (failure: unknown): string | undefined => findGraphRefusal(failure)?.code;

/** Codes for an unknown delta link, which no source lists. Status 410 means the same. */
const FORGOTTEN = /^(syncstate|resyncrequired|fullsyncrequired|errorinvalidsyncstatedata)/i;
/** Codes for an account without a mailbox in Exchange Online, which no source lists. */
const NO_MAILBOX = /^(mailboxnotenabledforrestapi|mailboxnotfound|errornonexistentmailbox)/i;
/** Codes for an id in another form or of another mailbox, which finds nothing. */
const UNKNOWN_ID = /^(erroritemnotfound|errorinvalidid|errorfoldernotfound|errorcannotuse)/i;

export function toGraphError(answer: EgressResponse): ProviderError {
  const { status, body } = answer;
  // `{ error: { code, message } }`; gateways in between respond without it.
  const error = readMember(jsonIn(body.toString('utf8')), 'error');
  const code = text(readMember(error, 'code')) ?? '';
  const cause = new GraphRefusal(status, code, (text(readMember(error, 'message')) ?? '').slice(0, 300));
  const retryAfter = parseRetryAfter((name) => answer.header(name));
  return refusalWith(chooseMeaning(cause, retryAfter !== undefined), { cause, retryAfter });
}

function chooseMeaning({ status, code }: GraphRefusal, asksToWait: boolean): Meaning {
  if (status === 410 || FORGOTTEN.test(code))
    return ['sync_token_expired', 'Microsoft no longer accepts the sync token'];
  if (NO_MAILBOX.test(code)) return ['no_calendars', 'This Microsoft account has no mailbox'];
  if (status === 401)
    return ['unauthorized', 'Microsoft rejects the access token', 'reauthentication_demanded'];
  if (status === 403)
    return ['permission_missing', 'The permission for calendars is missing', 'calendar_permission_missing'];
  if (status === 404 || UNKNOWN_ID.test(code)) return ['not_found', 'Microsoft has no such calendar'];
  if (status === 412) return ['precondition_failed', 'It was changed in the meantime'];
  // A 503 with Retry-After means too many requests, without it an outage.
  if (status === 429 || status === 509 || (status === 503 && asksToWait))
    return ['rate_limited', 'Microsoft asks to wait', 'user_quota_exhausted'];
  if (status >= 500) return ['unavailable', 'Microsoft has a server error', 'provider_unavailable'];
  return ['invalid_response', 'Microsoft did not accept the request', 'provider_answer_unreadable'];
}
