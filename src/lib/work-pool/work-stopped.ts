/**
 * Why a task was stopped from outside: a part took more than its processor time or its memory, the thread crashed, or
 * the pool was closed.
 */
export type StopReason = 'deadline' | 'memory' | 'crash' | 'closed';

export class WorkStopped extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason, cause?: unknown) {
    super(`The work was stopped: ${reason}`, { cause });
    this.name = 'WorkStopped';
    this.reason = reason;
  }
}

/** The task threw: a fault of ours. Failures that are to be expected are parts. */
export class WorkFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WorkFailed';
  }
}
