/** The faults that have a switch on the control page, each in the form of its provider. */
import { type Fault, type FaultEffect, SANDBOX_KINDS, type SandboxKind } from './faults.ts';

export type CommonFault = {
  /** For forms. */
  readonly name: string;
  /** For people. */
  readonly label: string;
  /** The fault at each provider; a provider that is absent does not have it. */
  readonly at: Partial<Record<SandboxKind, Omit<Fault, 'provider' | 'user' | 'times'>>>;
};

const everywhere = (effect: FaultEffect, operation?: string): CommonFault['at'] =>
  Object.fromEntries(
    SANDBOX_KINDS.map((kind) => [kind, { effect, ...(operation === undefined ? {} : { operation }) }]),
  );

const status = (code: number, reason: string, retryAfter?: number): FaultEffect => ({
  kind: 'status',
  status: code,
  reason,
  ...(retryAfter === undefined ? {} : { retryAfter }),
});

const dav = (code: number, reason: string, retryAfter?: number) => {
  const effect = status(code, reason, retryAfter);
  return { icloud: { effect }, caldav: { effect } };
};

export const COMMON_FAULTS: readonly CommonFault[] = [
  { name: 'slow', label: 'Responses take three seconds', at: everywhere({ kind: 'latency', ms: 3000 }) },
  { name: 'reset', label: 'Connections are reset', at: everywhere({ kind: 'reset' }) },
  {
    name: 'lost',
    label: 'Requests take effect, but their responses are lost',
    at: everywhere({ kind: 'lost_answer' }),
  },
  { name: 'truncated', label: 'Responses end in the middle', at: everywhere({ kind: 'truncate' }) },
  {
    name: 'unauthorized',
    label: 'Access is refused (401)',
    at: {
      google: { operation: 'events.list', effect: status(401, 'authError') },
      microsoft: { effect: status(401, 'InvalidAuthenticationToken') },
      ...dav(401, 'unauthorized'),
    },
  },
  {
    name: 'revoked',
    label: 'Refresh tokens are refused: the user must sign in again',
    at: {
      google: { operation: 'token', effect: status(400, 'invalid_grant') },
      microsoft: { operation: 'token', effect: status(400, 'AADSTS50173') },
    },
  },
  {
    name: 'secret',
    label: 'The app’s secret is refused: the operator must act',
    at: {
      google: { operation: 'token', effect: status(401, 'invalid_client') },
      microsoft: { operation: 'token', effect: status(401, 'AADSTS7000222') },
    },
  },
  {
    name: 'quota',
    label: 'The quota is used up',
    at: {
      google: { effect: status(403, 'rateLimitExceeded') },
      microsoft: { effect: status(429, 'TooManyRequests', 30) },
      ...dav(429, 'too-many-requests', 30),
    },
  },
  {
    name: 'down',
    label: 'The provider is down (503)',
    at: {
      google: { effect: status(503, 'backendError') },
      microsoft: { effect: status(503, 'ServiceUnavailable') },
      ...dav(503, 'unavailable'),
    },
  },
  { name: 'reordered', label: 'Pages come in another order', at: everywhere({ kind: 'reorder' }) },
  { name: 'duplicated', label: 'Entries of pages are repeated', at: everywhere({ kind: 'duplicate' }) },
  { name: 'forgotten', label: 'Sync tokens are forgotten', at: everywhere({ kind: 'token_forgotten' }) },
  {
    name: 'silent',
    label: 'Changes are not pushed',
    at: {
      google: { operation: 'push', effect: { kind: 'push_missing' } },
      microsoft: { operation: 'push', effect: { kind: 'push_missing' } },
    },
  },
  {
    name: 'stuttering',
    label: 'Changes are pushed twice',
    at: {
      google: { operation: 'push', effect: { kind: 'push_duplicate' } },
      microsoft: { operation: 'push', effect: { kind: 'push_duplicate' } },
    },
  },
];
