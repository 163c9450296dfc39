/** Keeps requests for the log, off the way of their answers: in memory first, written together soon after. */
import { addressKey } from '../http/address-key.ts';
import type { Answer, AnswerListener } from '../http/answer-listener.ts';
import type { Log } from '../lib/log.ts';
import { within } from '../lib/within.ts';
import { networkOf } from './network-of.ts';
import { isRefusal, type NewRequestEntry } from './request-entry.ts';
import type { RequestLog } from './request-log.ts';
import { ROW_LIMITS, type RowLimit, type RowLimits, rowLimit } from './row-limits.ts';
import { isInShare } from './share.ts';
import { shownBody } from './shown-body.ts';
import { WaitingEntries } from './waiting-entries.ts';

export type RequestRecorderDeps = {
  readonly requestLog: Pick<RequestLog, 'addRequests'>;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** In place of those of row-limits.ts. */
  readonly rowLimits?: RowLimits;
};

/** `stop` writes what waits, for two seconds at most. */
export type RequestRecorder = AnswerListener & { stop(): Promise<void> };

/** So many wait at most: beyond it the oldest successes are dropped first. */
const MOST_WAITING = 5_000;
const WRITE_EVERY_MS = 1_000;
/** When so many wait, they are written before their second is over. */
const MANY = 200;
/** In one transaction: others write between them. */
const WRITTEN_TOGETHER = 50;
const STOP_MS = 2_000;
const TOLD_EVERY_MS = 60_000;

/** Starts keeping requests until stopped. */
export function startRequestRecorder(deps: RequestRecorderDeps): RequestRecorder {
  return new Recorder(deps);
}

class Recorder implements RequestRecorder {
  readonly #deps: RequestRecorderDeps;
  readonly #waiting = new WaitingEntries(MOST_WAITING);
  readonly #limit: RowLimit;
  readonly #timer: NodeJS.Timeout;
  #writing: Promise<void> | undefined;
  #underWay: readonly NewRequestEntry[] = [];
  #beyondLimit = 0;
  #failure: unknown;
  #toldAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(deps: RequestRecorderDeps) {
    this.#deps = deps;
    this.#limit = rowLimit(deps.rowLimits ?? ROW_LIMITS);
    this.#timer = setInterval(() => this.#write(), WRITE_EVERY_MS).unref();
  }

  readonly isHeard = isInShare;

  readonly heard = (answer: Answer): void => {
    if (this.#isStopped) return;
    try {
      this.#add(answer);
    } catch (failure) {
      // Whatever it is, it is no reason to answer otherwise.
      this.#failure ??= failure;
    }
  };

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await within(STOP_MS, this.#writeAll());
    this.#toldAt = Number.NEGATIVE_INFINITY;
    this.#tell(this.#waiting.size + this.#underWay.length);
  }

  #add(answer: Answer): void {
    const { asker, address, received, body, ...rest } = answer;
    const at = this.#deps.now();
    if (!this.#isKept(answer, at)) return;
    this.#waiting.add({
      ...rest,
      at,
      clientId: asker?.clientId,
      userId: asker?.userId,
      network: networkOf(address),
      body: isRefusal(rest) ? shownBody({ body, route: rest.route, received }) : undefined,
    });
    // Not on this answer's way.
    if (this.#waiting.size === MANY) setImmediate(() => this.#write());
  }

  #isKept({ asker, address, status }: Answer, at: number): boolean {
    const isLetIn = asker !== undefined && asker.isRefused !== true;
    // They are a share anyway: nobody misses those.
    if (isLetIn && !isRefusal({ status })) return this.#limit.keepsSuccess(asker.clientId, at);
    const isKept = isLetIn
      ? this.#limit.keepsOfApplication(asker.clientId, at)
      : this.#limit.keepsOfStranger(addressKey(address), at);
    if (!isKept) this.#beyondLimit += 1;
    return isKept;
  }

  #write(): void {
    this.#tell(0);
    if (this.#waiting.size > 0) this.#writing ??= this.#writeWaiting();
  }

  async #writeAll(): Promise<void> {
    await this.#writing;
    await this.#writeWaiting();
  }

  /** Never throws. What could not be written is tried again a second later. */
  async #writeWaiting(): Promise<void> {
    try {
      while (this.#waiting.size > 0) {
        this.#underWay = this.#waiting.take(WRITTEN_TOGETHER);
        await this.#deps.requestLog.addRequests(this.#underWay);
      }
    } catch (failure) {
      this.#waiting.takeBack(this.#underWay);
      this.#failure ??= failure;
    } finally {
      this.#underWay = [];
      this.#writing = undefined;
    }
  }

  /** Says at most once a minute what is missing from the log, and why. */
  #tell(lost: number): void {
    const { log, now } = this.#deps;
    const at = now();
    if (at - this.#toldAt < TOLD_EVERY_MS) return;
    const dropped = this.#waiting.takeDropped() + lost;
    const beyondLimit = this.#beyondLimit;
    if (this.#failure !== undefined)
      log.error({ event: 'request_log_failed', err: this.#failure }, 'The request log could not be written');
    if (dropped > 0 || beyondLimit > 0)
      log.warn(
        { event: 'request_log_incomplete', dropped, beyondLimit },
        'Requests were left out of the request log',
      );
    if (this.#failure !== undefined || dropped > 0 || beyondLimit > 0) this.#toldAt = at;
    this.#failure = undefined;
    this.#beyondLimit = 0;
  }
}
