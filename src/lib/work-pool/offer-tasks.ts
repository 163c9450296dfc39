/** The side of the thread: takes tasks from a work pool, one at a time. */
import { parentPort } from 'node:worker_threads';
import type { FromThread, ToThread } from './messages.ts';

/** Creates a task's parts, each small enough that the main thread takes it over within milliseconds. */
export type TaskParts = (input: never) => Iterable<unknown> | AsyncIterable<unknown>;

/** Offers these tasks by name and reports that the thread is ready. Called once by the script of a pool's threads. */
export function offerTasks(tasks: Readonly<Record<string, TaskParts>>): void {
  const port = parentPort;
  if (port === null) throw new Error('This file is for the threads of a work pool');
  const answer = (message: FromThread) => port.postMessage(message);
  let parts: AsyncIterator<unknown> | undefined;
  port.on('message', async (message: ToThread) => {
    try {
      if (message.type === 'start') parts = runTask(tasks, message);
      const next = await parts?.next();
      if (next === undefined || next.done) {
        parts = undefined;
        answer({ type: 'done' });
      } else answer({ type: 'part', part: next.value });
    } catch (reason) {
      parts = undefined;
      answer({
        type: 'failed',
        message: reason instanceof Error ? (reason.stack ?? reason.message) : String(reason),
      });
    }
  });
  answer({ type: 'ready' });
}

async function* runTask(
  tasks: Readonly<Record<string, TaskParts>>,
  { name, input }: Extract<ToThread, { type: 'start' }>,
): AsyncGenerator<unknown> {
  const task = tasks[name];
  if (task === undefined) throw new Error(`There is no task ${name}`);
  // The caller that starts a task passes the input of that task.
  yield* task(input as never);
}
