/** The dependencies of writing routes on other features, so that the routes import none of them. */
import { type BearerDeps, requireScope } from '../oauth/bearer-authentication.ts';
import { type BearerHook, bearerHook } from '../oauth/bearer-hook.ts';
import type { Grant } from '../oauth/grant.ts';
import { type FreshnessDeps, freshAccounts } from '../reading/freshness.ts';
import { changedMeanwhile, createdEvent, eventBody, renderedEvent, requireVersion } from './event-answer.ts';
import type { ChosenCalendar, FindCalendarDeps } from './find-calendar.ts';
import type { WriteDeps } from './write-deps.ts';

export type WritingPorts = Pick<FindCalendarDeps, 'freshAccounts' | 'requireWriteScope'> & {
  readonly writeAccess: BearerHook;
  readonly eventAnswers: ReturnType<typeof eventAnswers>;
};

export type WritingPortsDeps = FreshnessDeps & BearerDeps & Pick<WriteDeps, 'events' | 'storedEvents'>;

export function writingPorts(deps: WritingPortsDeps): WritingPorts {
  return {
    freshAccounts: (request) => freshAccounts(request, deps),
    requireWriteScope,
    writeAccess: writeAccess(deps),
    eventAnswers: eventAnswers(deps),
  };
}

const requireWriteScope = (of: Pick<Grant, 'scope'>): void =>
  requireScope(of, 'read-write', 'Write access denied for current scope');

/** Returns the access check for a hook before the body is read. */
function writeAccess(deps: BearerDeps): BearerHook {
  const bearer = bearerHook(deps);
  return {
    ...bearer,
    async check(request) {
      await bearer.check(request);
      requireWriteScope(bearer.grantOf(request));
    },
  };
}

function eventAnswers(deps: Pick<WriteDeps, 'events' | 'storedEvents'>) {
  return {
    render: (id: string, chosen: ChosenCalendar) => renderedEvent(id, chosen, deps),
    renderCreated: createdEvent,
    bodyOf: eventBody,
    requireVersion,
    changedMeanwhile,
  };
}
