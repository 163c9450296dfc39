/** Faults of a request at each provider, by the provider's own names. */
import type { FaultEffect, SandboxKind } from '../../sandbox/core/faults.ts';
import { MICROSOFT_HABITS } from '../../sandbox/core/microsoft-habits.ts';

/** Faults of any connection, and of any page. */
const ANYWHERE: readonly FaultEffect[] = [
  { kind: 'reset' },
  { kind: 'lost_answer' },
  { kind: 'truncate' },
  { kind: 'reorder' },
  { kind: 'duplicate' },
  { kind: 'token_forgotten' },
];

const refused = (status: number, reason: string, retryAfter?: number): FaultEffect => ({
  kind: 'status',
  status,
  reason,
  ...(retryAfter === undefined ? {} : { retryAfter }),
});

/** Too long to wait for; test/access/request-limits.test.ts tests the waits within a request. */
const LATER = 25;

const dav: readonly FaultEffect[] = [
  ...ANYWHERE,
  refused(401, 'unauthorized'),
  refused(403, 'forbidden'),
  refused(404, 'not found'),
  refused(429, 'too-many-requests', LATER),
  refused(500, 'internal'),
  refused(503, 'unavailable', LATER),
];

export const FAULTS: Readonly<Record<SandboxKind, readonly FaultEffect[]>> = {
  google: [
    ...ANYWHERE,
    refused(401, 'authError'),
    refused(403, 'rateLimitExceeded', LATER),
    refused(403, 'quotaExceeded', LATER),
    refused(404, 'notFound'),
    refused(410, 'fullSyncRequired'),
    refused(429, 'rateLimitExceeded', LATER),
    refused(500, 'backendError'),
    refused(503, 'backendError'),
  ],
  microsoft: [
    ...ANYWHERE,
    refused(401, 'InvalidAuthenticationToken'),
    refused(404, 'ErrorItemNotFound'),
    { kind: 'passed_over' },
    refused(410, 'SyncStateNotFound'),
    refused(429, 'ApplicationThrottled', LATER),
    refused(500, 'UnknownError'),
    refused(503, 'ServiceUnavailable', LATER),
    refused(504, 'UnknownError'),
  ],
  icloud: dav,
  caldav: dav,
};

/** Behavior that a provider always has and does not document: on from the start, whatever faults come and go. */
export const LASTING: Readonly<Partial<Record<SandboxKind, readonly FaultEffect[]>>> = {
  microsoft: MICROSOFT_HABITS.filter((kind) => kind !== 'passed_over').map((kind) => ({ kind })),
};
