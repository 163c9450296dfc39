/** The one class of refusal the egress module throws. */
export type EgressErrorKind =
  | 'forbidden_address'
  | 'too_large'
  | 'timeout'
  | 'too_many_redirects'
  | 'unreachable'
  | 'tls';

export class EgressError extends Error {
  readonly kind: EgressErrorKind;

  /** `message` is public: it names the host at most, never a path, a query or credentials. */
  constructor(kind: EgressErrorKind, message: string, options: { cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'EgressError';
    this.kind = kind;
  }
}

/** Certificate and handshake failures, as node:tls and OpenSSL name them. */
const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;

/** The error for a failed connection; the failure is its cause. */
export function egressErrorOf(failure: unknown, host: string): EgressError {
  for (let error = failure; error instanceof Error; error = error.cause)
    if (error instanceof EgressError) return error;
  const name = failure instanceof Error ? failure.name : '';
  const code = codeOf(failure);
  const options = { cause: failure };
  if (/Abort|Timeout/.test(name) || /TIMEOUT|ETIMEDOUT|ABORT/.test(code))
    return new EgressError('timeout', `${host} did not answer in time`, options);
  if (TLS_CODE.test(code)) return new EgressError('tls', `${host} has no valid TLS certificate`, options);
  if (/^(ENOTFOUND|ENODATA|EAI_)/.test(code))
    return new EgressError('unreachable', `${host} is not a known host name`, options);
  return new EgressError('unreachable', `${host} could not be reached`, options);
}

/** The error's code, or that of the first failure it gathers (one for each address tried). */
function codeOf(failure: unknown): string {
  if (failure instanceof AggregateError && failure.errors.length > 0) return codeOf(failure.errors[0]);
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
  return typeof code === 'string' ? code : '';
}
