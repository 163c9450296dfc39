/** Servers of tests that run in a process of their own, so that their work is not the measuring one's. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

export type ChildServer<Ready> = {
  /** The message that it sent when it was ready. */
  readonly ready: Ready;
  readonly pid: number;
  /** Sends a message and answers the next that comes. */
  ask<Answer>(message: string): Promise<Answer>;
  stop(): Promise<void>;
};

/** Runs a script of this repository, given from the folder `test`, until `stop`; waits for its first message. */
export async function startChild<Ready>(
  script: string,
  args: readonly string[] = [],
): Promise<ChildServer<Ready>> {
  const child = fork(path.resolve(import.meta.dirname, '..', script), args, { stdio: 'inherit' });
  const ready: Ready = await messageOf(child);
  return {
    ready,
    pid: child.pid ?? 0,
    async ask<Answer>(message: string) {
      const answered = messageOf<Answer>(child);
      child.send(message);
      return answered;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function messageOf<Message>(child: ChildProcess): Promise<Message> {
  const { promise, resolve, reject } = Promise.withResolvers<Message>();
  const onMessage = (message: unknown) => settle(() => resolve(message as Message)); // the script's own
  const onExit = (code: number | null) =>
    settle(() => reject(new Error(`A server of the tests ended with ${code}`)));
  const settle = (done: () => void) => {
    child.off('message', onMessage).off('exit', onExit);
    done();
  };
  child.on('message', onMessage).on('exit', onExit);
  return promise;
}
