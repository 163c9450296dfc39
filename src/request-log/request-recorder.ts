/** Records requests without delaying responses: first in memory, written together soon after. */

import ipaddr from 'ipaddr.js';
import { addressKey } from '../http/address-key.ts';
import type { Answer, AnswerListener } from '../http/answer-listener.ts';
import type { Log } from '../lib/log.ts';
import { within } from '../lib/within.ts';
import { isOfStranger, isRefusal, type NewRequestEntry } from './request-entry.ts';
import type { RequestLog } from './request-log.ts';
import { ROW_LIMITS, type RowLimit, type RowLimits, rowLimit } from './row-limits.ts';
import { parseBodyFields, toStoredBody } from './shown-body.ts';

export type RequestRecorderDeps = {
  readonly requestLog: Pick<RequestLog, 'addRequests'>;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly now: () => number;
  /** Replaces the limits of row-limits.ts. */
  readonly rowLimits?: RowLimits;
};

/** `stop` writes the waiting entries, for at most two seconds. */
export type RequestRecorder = AnswerListener & { stop(): Promise<void> };

/** The maximum of waiting entries. Beyond it the oldest successes are dropped first. */
const MOST_WAITING = 5_000;
const WRITE_EVERY_MS = 1_000;
/** If this many wait, they are written at once. */
const MANY = 200;
/** The entries per transaction: others write between transactions. */
const WRITTEN_TOGETHER = 50;
const STOP_MS = 2_000;
const MINUTE_MS = 60_000;

export function startRequestRecorder(deps: RequestRecorderDeps): RequestRecorder {
  return new Recorder(deps);
}

class Recorder implements RequestRecorder {
  readonly #deps: RequestRecorderDeps;
  readonly #waiting = new WaitingEntries(MOST_WAITING);
  readonly #limit: RowLimit;
  readonly #timer: NodeJS.Timeout;
  /** Entries that count the rest of this minute's equal failed requests, by group. */
  readonly #counting = new Map<string, { readonly entry: NewRequestEntry; repeated: number }>();
  #minute = 0;
  #writing: Promise<void> | undefined;
  #underWay: readonly NewRequestEntry[] = [];
  #beyondLimit = 0;
  #failure: unknown;
  #loggedAt = Number.NEGATIVE_INFINITY;
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
      // A failure here must not change the response.
      this.#failure ??= failure;
    }
  };

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#addCounting(Number.POSITIVE_INFINITY);
    await within(STOP_MS, this.#writeAll());
    this.#loggedAt = Number.NEGATIVE_INFINITY;
    this.#logMissing(this.#waiting.size + this.#underWay.length);
  }

  #add(answer: Answer): void {
    const { asker, address, received, body, ...rest } = answer;
    const at = this.#deps.now();
    this.#addCounting(at);
    const group = toGroupKey(answer);
    const isRest = group !== undefined && !this.#limit.keepsEqual(group, at);
    const counting = isRest ? this.#counting.get(group) : undefined;
    if (counting !== undefined) {
      counting.repeated += 1;
      return;
    }
    if (!this.#isKept(answer, at)) return;
    const entry = {
      ...{ ...rest, at, repeated: 1 },
      ...{ clientId: asker?.clientId, userId: asker?.userId, network: toNetwork(address) },
      isClaimed: asker?.isClaimed === true,
      body: isRefusal(rest) ? toStoredBody({ body, route: rest.route, received }) : undefined,
    };
    if (isRest) this.#counting.set(group, { entry, repeated: 1 });
    else this.#waiting.add(entry);
    // Deferred, so that this response is not delayed.
    if (this.#waiting.size === MANY) setImmediate(() => this.#write());
  }

  /** Queues the counts for writing once their minute is over. */
  #addCounting(at: number): void {
    const minute = Math.floor(at / MINUTE_MS);
    if (minute === this.#minute) return;
    // The counted requests may have different users and networks.
    for (const { entry, repeated } of this.#counting.values())
      this.#waiting.add({ ...entry, repeated, userId: undefined, network: undefined });
    this.#counting.clear();
    this.#minute = minute;
  }

  #isKept({ asker, address, status }: Answer, at: number): boolean {
    const isLetIn = asker !== undefined && !asker.isRefused && !asker.isClaimed;
    // Only a sample of successes is stored anyway, so these do not count as lost.
    if (isLetIn && !isRefusal({ status })) return this.#limit.keepsSuccess(asker.clientId, at);
    const isKept = isLetIn
      ? this.#limit.keepsOfApplication(asker.clientId, at)
      : this.#limit.keepsOfStranger(addressKey(address), at);
    if (!isKept) this.#beyondLimit += 1;
    return isKept;
  }

  #write(): void {
    this.#logMissing(0);
    this.#addCounting(this.#deps.now());
    if (this.#waiting.size > 0) this.#writing ??= this.#writeWaiting();
  }

  async #writeAll(): Promise<void> {
    await this.#writing;
    await this.#writeWaiting();
  }

  /** Writes the waiting entries. Never throws: a failed write is retried a second later. */
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

  /** Logs at most once a minute what is missing from the request log, and why. */
  #logMissing(lost: number): void {
    const { log, now } = this.#deps;
    const at = now();
    if (at - this.#loggedAt < MINUTE_MS) return;
    const dropped = this.#waiting.takeDropped() + lost;
    const beyondLimit = this.#beyondLimit;
    if (this.#failure !== undefined)
      log.error({ event: 'request_log_failed', err: this.#failure }, 'The request log could not be written');
    if (dropped > 0 || beyondLimit > 0)
      log.warn(
        { event: 'request_log_incomplete', dropped, beyondLimit },
        'Requests were left out of the request log',
      );
    if (this.#failure !== undefined || dropped > 0 || beyondLimit > 0) this.#loggedAt = at;
    this.#failure = undefined;
    this.#beyondLimit = 0;
  }
}

/** Returns a key for equal failed requests of an application; undefined for other requests. */
function toGroupKey({ asker, method, route, status, body }: Answer): string | undefined {
  if (asker === undefined || asker.isRefused || asker.isClaimed || !isRefusal({ status })) return undefined;
  const { code, error } = parseBodyFields(body) ?? {};
  return JSON.stringify([asker.clientId, method, route, status, code ?? error]);
}

/** The log stores one of this many successes. */
export const ONE_IN = 100;

/** Hashed, because ids count up: of callers who alternate, one would otherwise never be stored. */
export function isInShare(requestId: string): boolean {
  let mixed = 0x811c9dc5;
  for (let at = 0; at < requestId.length; at++) {
    mixed = Math.imul(mixed ^ requestId.charCodeAt(at), 0x01000193);
  }
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return ((mixed ^ (mixed >>> 13)) >>> 0) % ONE_IN === 0;
}

const IPV4_BITS = 24;
const IPV6_BITS = 48;

/** Returns the /24 of an IPv4 address or the /48 of an IPv6 address; otherwise `undefined`. */
export function toNetwork(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  const bits = parsed.kind() === 'ipv4' ? IPV4_BITS : IPV6_BITS;
  const network = (parsed.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(
    `${parsed.toString()}/${bits}`,
  );
  return `${network.toString()}/${bits}`;
}

/**
 * Entries to be written. Beyond the limit, the oldest successes are dropped first, then the oldest errors of unknown
 * callers, then those of applications.
 */
export class WaitingEntries {
  readonly #most: number;
  /** In the order in which they are written, and the reverse of that in which they are dropped. */
  #queues: readonly NewRequestEntry[][] = [[], [], []];
  #dropped = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#queues.reduce((sum, { length }) => sum + length, 0);
  }

  add(entry: NewRequestEntry): void {
    const rank = !isRefusal(entry) ? 2 : isOfStranger(entry) ? 1 : 0;
    this.#queues[rank]?.push(entry);
    if (this.size <= this.#most) return;
    this.#queues.findLast(({ length }) => length > 0)?.shift();
    this.#dropped += 1;
  }

  /** Removes and returns the oldest entries, errors first. */
  take(count: number): NewRequestEntry[] {
    const entries: NewRequestEntry[] = [];
    for (const queue of this.#queues) entries.push(...queue.splice(0, count - entries.length));
    return entries;
  }

  /** Puts entries that could not be written before newer ones. */
  takeBack(entries: readonly NewRequestEntry[]): void {
    const newer = this.#queues.flat();
    this.#queues = [[], [], []];
    for (const entry of [...entries, ...newer]) this.add(entry);
  }

  /** Returns the number of dropped entries since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
