/**
 * Why a task was stopped. Its own work causes `deadline` (processor time of a part), `memory` and `crash` (the thread
 * ended). Otherwise the pool was `closed`, no thread was free in time (`busy`), the thread was silent for too long
 * (`stalled`), or none could be started (`unstarted`).
 */
export type StopReason = 'deadline' | 'memory' | 'crash' | 'closed' | 'busy' | 'stalled' | 'unstarted';

const OF_THE_TASK: ReadonlySet<StopReason> = new Set(['deadline', 'memory', 'crash']);

export class WorkStopped extends Error {
  readonly reason: StopReason;
  /** Whether the task's own work is the cause. */
  readonly isOfTask: boolean;

  constructor(reason: StopReason, cause?: unknown) {
    super(`The work was stopped: ${reason}`, { cause });
    this.name = 'WorkStopped';
    this.reason = reason;
    this.isOfTask = OF_THE_TASK.has(reason);
  }
}

/** The task threw, which is a bug. Expected failures are parts. */
export class WorkFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WorkFailed';
  }
}
