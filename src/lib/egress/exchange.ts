/** One request and its response over the wire, read only as fast as memory and turns allow. */
import type { Agent, Dispatcher } from 'undici';

import type { RoomShare } from './answer-room.ts';
import { EgressError } from './egress-error.ts';
import type { PieceTurns } from './piece-turns.ts';
import { type ReceivedBytes, receivedBytes } from './received-bytes.ts';

export type WireRequest = {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  /** Limits the response body in bytes, as it is sent. */
  readonly maxBytes: number;
};

export type WireAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it was sent, perhaps compressed. */
  readonly body: ReceivedBytes;
};

export type ExchangeDeps = { readonly agent: Agent; readonly share: RoomShare; readonly turns: PieceTurns };

/** Limits informational responses before the final one, such as 103: one or two are usual, and thousands cost time. */
const MOST_INFORMATIONAL = 10;
/** A response with more pieces than this that are shorter on average is refused: it costs too much time. */
const MOST_TINY_PIECES = 100_000;
const TINY_BYTES = 8;

/** Sends the request and returns the whole response. Fails with EgressError, the signal's reason or undici's error. */
export function exchange(
  request: WireRequest,
  { agent, share, turns }: ExchangeDeps,
  signal: AbortSignal,
): Promise<WireAnswer> {
  const { url, method, headers, body: sentBody, maxBytes } = request;
  const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>();
  const body = receivedBytes();
  let controller: Dispatcher.DispatchController | undefined;
  let answer: WireAnswer | undefined;
  let informational = 0;
  let pieces = 0;

  const giveUp = (reason: Error): void => {
    reject(reason);
    controller?.abort(reason);
  };
  const onAbort = (): void => giveUp(signal.reason);
  // It runs in its own turn, where nothing would catch an error.
  const goOn = (): void => {
    try {
      controller?.resume();
    } catch (failure) {
      giveUp(failure instanceof Error ? failure : new Error(String(failure)));
    }
  };
  signal.addEventListener('abort', onAbort, { once: true });

  agent.dispatch(
    {
      origin: url.origin,
      path: url.pathname + url.search,
      // undici's type names the common methods only; it sends any token.
      method: method as Dispatcher.HttpMethod,
      headers,
      body: sentBody ?? null,
    },
    {
      onRequestStart(started) {
        controller = started;
        if (signal.aborted) started.abort(signal.reason);
      },
      onResponseStart(_, status, received) {
        if (status >= 200) answer = { status, headers: received, body };
        else if (++informational > MOST_INFORMATIONAL)
          throw new EgressError('unreachable', `${url.hostname} does not come to its answer`);
      },
      onResponseData(reading, piece) {
        body.add(piece);
        if (body.size() > maxBytes)
          throw new EgressError('too_large', `The answer is larger than ${maxBytes} bytes`);
        pieces += 1;
        if (pieces > MOST_TINY_PIECES && body.size() < pieces * TINY_BYTES)
          throw new EgressError('too_large', `${url.hostname} answers in too many pieces`);
        const wait = share.take(piece.length);
        if (wait !== undefined) {
          reading.pause();
          wait.then(goOn);
        } else if (!turns.count(goOn)) reading.pause();
      },
      onResponseEnd() {
        if (answer !== undefined) resolve(answer);
        else reject(new EgressError('unreachable', `${url.hostname} did not answer`));
      },
      onResponseError(_, failure) {
        reject(failure);
      },
    },
  );
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}
