/** Response listeners. One cheap check per response: a listener at the end of every response would cost more. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Asker } from './asker.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON body of an error that is shown as a page. */
    refusalBody: object | undefined;
  }
}

export type Answer = {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern; undefined if there is no such route. */
  readonly route: string | undefined;
  readonly status: number;
  /** From the request's arrival, in whole milliseconds. */
  readonly durationMs: number;
  readonly asker: Asker | undefined;
  readonly address: string;
  /** The body of a JSON response, or of an error that is shown as a page. */
  readonly body: string | undefined;
  /** Everything the caller sent: used to recognize it in the response, not stored. */
  readonly received: readonly unknown[];
};

export type AnswerListener = {
  /** Whether a successful response is passed to `heard`. Called for every response: it must be cheap. */
  isHeard(requestId: string): boolean;
  /** Receives every error, and the successful responses that `isHeard` selects. It does not throw. */
  heard(answer: Answer): void;
};

const FIRST_REFUSAL = 400;

/** Requests that do not come from applications or their users. */
const UNHEARD = /\/health$|^\/(dashboard|admin\/v1)(\/|$)/;

/** A counter of all responses. It must be cheap and does not throw. */
export type AnswerCounter = {
  /** `durationMs` is from the request's arrival. */
  answered(asker: Asker | undefined, isRefusal: boolean, durationMs: number): void;
};

export type AnswerHearers = {
  readonly answerListener?: AnswerListener | undefined;
  readonly answerCounter?: AnswerCounter | undefined;
};

const NOBODY: AnswerListener = { isHeard: () => false, heard() {} };

/** Calls the listeners for responses of all routes. `since` returns when a request arrived, on the clock of `now`. */
export function hearAnswers(
  app: FastifyInstance,
  { answerListener = NOBODY, answerCounter }: AnswerHearers,
  { since, now }: { since(request: IncomingMessage): number | undefined; now(): number },
): void {
  const { isHeard, heard } = answerListener;
  app.addHook('onSend', (request, reply, payload, next) => {
    const isRefusal = reply.statusCode >= FIRST_REFUSAL;
    const at = now();
    const durationMs = at - (since(request.raw) ?? at);
    answerCounter?.answered(request.asker, isRefusal, durationMs);
    if (isRefusal || isHeard(request.id)) {
      const { url } = request.routeOptions;
      if (url === undefined || !UNHEARD.test(url))
        heard(describeResponse({ request, reply, payload, durationMs: Math.round(durationMs) }));
    }
    next(null, payload);
  });
}

type Sent = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly payload: unknown;
  readonly durationMs: number;
};

function describeResponse({ request, reply, payload, durationMs }: Sent): Answer {
  const { id, method, routeOptions, asker, refusalBody, ip, params, query, body, headers } = request;
  const isJson = String(reply.getHeader('content-type') ?? '').startsWith('application/json');
  const loggedBody = refusalBody === undefined ? undefined : JSON.stringify(refusalBody);
  return {
    requestId: id,
    method,
    route: routeOptions.url,
    status: reply.statusCode,
    durationMs,
    asker,
    address: ip,
    body: isJson && typeof payload === 'string' ? payload : loggedBody,
    received: [params, query, body, headers.authorization],
  };
}
