/** The tasks that parse responses, as threads offer them (src/work-thread.ts). */
import { ProviderError } from '../../calendars/provider-error.ts';
import type { TaskParts } from '../../lib/work-pool/offer-tasks.ts';
import { CALENDARS } from './dav/calendar-listing.ts';
import { ANSWER_MS, type DavInput, type DavTask, processorMs, type ThreadPart } from './dav/dav-reading.ts';
import { LISTING } from './dav/listed-object.ts';
import { PROPERTIES } from './dav/properties-task.ts';
import { FEED } from './feed/feed-task.ts';
import { OBJECT, OBJECTS } from './object-tasks.ts';

export const DAV_TASKS: Readonly<Record<string, TaskParts>> = {
  [LISTING.name]: inThread(LISTING),
  [PROPERTIES.name]: inThread(PROPERTIES),
  [CALENDARS.name]: inThread(CALENDARS),
  [OBJECT.name]: inThread(OBJECT),
  [OBJECTS.name]: inThread(OBJECTS),
  [FEED.name]: inThread(FEED),
};

/** Adapts a task to a thread: parts have durations, a failure is a part, and it ends if all took too long. */
function inThread<Input extends DavInput, Part>(task: DavTask<Input, Part>) {
  return function* (input: Input): Generator<ThreadPart, void> {
    let before = processorMs();
    let ofAnswer = 0;
    try {
      for (const part of task.run(input)) {
        const ms = processorMs() - before;
        yield { part, ms };
        ofAnswer += ms;
        if (ofAnswer > ANSWER_MS) return;
        before = processorMs();
      }
    } catch (failure) {
      if (!(failure instanceof ProviderError)) throw failure;
      const { kind, message, detail } = failure;
      yield { failure: { kind, message, detail } };
    }
  };
}
