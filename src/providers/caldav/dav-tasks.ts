/** The reading of answers as threads offer it (src/work-thread.ts). */
import { ProviderError } from '../../calendars/provider-error.ts';
import type { TaskParts } from '../../lib/work-pool/offer-tasks.ts';
import { CALENDARS } from './dav/calendar-listing.ts';
import { type DavInput, type DavTask, processorMs, type ThreadPart } from './dav/dav-reading.ts';
import { LISTING } from './dav/listed-object.ts';
import { PROPERTIES } from './dav/properties-task.ts';
import { FEED } from './feed/feed-task.ts';
import { OBJECT, OBJECTS } from './object-tasks.ts';

/** By name. */
export const DAV_TASKS: Readonly<Record<string, TaskParts>> = {
  [LISTING.name]: inThread(LISTING),
  [PROPERTIES.name]: inThread(PROPERTIES),
  [CALENDARS.name]: inThread(CALENDARS),
  [OBJECT.name]: inThread(OBJECT),
  [OBJECTS.name]: inThread(OBJECTS),
  [FEED.name]: inThread(FEED),
};

/** The task for a thread: it says what its parts took, and its failures are parts. */
function inThread<Input extends DavInput, Part>(task: DavTask<Input, Part>) {
  return function* (input: Input): Generator<ThreadPart, void> {
    let before = processorMs();
    try {
      for (const part of task.run(input)) {
        const now = processorMs();
        yield { part, ms: now - before };
        before = processorMs();
      }
    } catch (failure) {
      if (!(failure instanceof ProviderError)) throw failure;
      const { kind, message, detail } = failure;
      yield { failure: { kind, message, detail } };
    }
  };
}
