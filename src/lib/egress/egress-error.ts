/** The error that the egress module throws. */

import { errorCode } from '../error-code.ts';

export type EgressErrorKind =
  | 'forbidden_address'
  | 'too_large'
  | 'timeout'
  | 'too_many_redirects'
  /** More than one piece of work may send: see counted-egress.ts. */
  | 'too_many_requests'
  /** Too many requests wait for a slot; nothing was sent. */
  | 'busy'
  | 'unreachable'
  | 'tls';

/** The exact failure below HTTP, if the operating system, the DNS or TLS reports it. */
type EgressErrorDetail =
  /** The host name has no address. */
  | 'host_unknown'
  /** No connection is accepted: the port is closed, or the host is unreachable. */
  | 'connection_refused'
  /** The server does not speak TLS. */
  | 'no_tls'
  /** It speaks TLS, with a certificate that is not trusted or not for this host. */
  | 'certificate';

export class EgressError extends Error {
  readonly kind: EgressErrorKind;
  readonly detail: EgressErrorDetail | undefined;

  /** `message` is public: it names the host at most, never a path, a query or credentials. */
  constructor(
    kind: EgressErrorKind,
    message: string,
    options: { readonly cause?: unknown; readonly detail?: EgressErrorDetail } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'EgressError';
    this.kind = kind;
    this.detail = options.detail;
  }
}

export const notPublic = (host: string): EgressError =>
  new EgressError('forbidden_address', `${host} is not a public host`);

/** Certificate and handshake failures, as node:tls and OpenSSL name them. */
const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;
/** The codes of a handshake with a server that does not speak TLS. */
const NO_TLS_CODE = /^(ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)|EPROTO)/;
const CONNECTING_CODE =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)/;

/** Returns the error for a failed connection, with the failure as its cause. */
export function toEgressError(failure: unknown, host: string): EgressError {
  for (let error = failure; error instanceof Error; error = error.cause)
    if (error instanceof EgressError) return error;
  const name = failure instanceof Error ? failure.name : '';
  const code = findErrorCode(failure);
  const isConnecting = CONNECTING_CODE.test(code);
  const options = { cause: failure, ...(isConnecting && { detail: 'connection_refused' as const }) };
  if (/Abort|Timeout/.test(name) || /TIMEOUT|ETIMEDOUT|ABORT/.test(code))
    return new EgressError('timeout', `${host} did not respond in time`, options);
  if (NO_TLS_CODE.test(code))
    return new EgressError('tls', `${host} does not speak https at this port`, {
      ...options,
      detail: 'no_tls',
    });
  if (TLS_CODE.test(code))
    return new EgressError('tls', `${host} has no valid TLS certificate`, {
      ...options,
      detail: 'certificate',
    });
  if (/^(ENOTFOUND|ENODATA|EAI_)/.test(code))
    return new EgressError('unreachable', `${host} is not a known host name`, {
      ...options,
      detail: 'host_unknown',
    });
  return new EgressError('unreachable', `${host} could not be reached`, options);
}

/** Returns the error's code, or that of the first failure it contains (one for each address tried). */
function findErrorCode(failure: unknown): string {
  if (failure instanceof AggregateError && failure.errors.length > 0) return findErrorCode(failure.errors[0]);
  return errorCode(failure) ?? '';
}
