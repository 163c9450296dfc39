/** Hearing of answers for the price of one look at each: listening to every answer's end costs more. */
import type { IncomingMessage } from 'node:http';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { Asker } from './asker.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a refusal that is shown as a page: what a program would have been told. */
    refusalBody: object | undefined;
  }
}

/** An answer that is about to be sent. */
export type Answer = {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern; undefined where there is no such route. */
  readonly route: string | undefined;
  readonly status: number;
  /** From the request's arrival, in whole milliseconds. */
  readonly durationMs: number;
  readonly asker: Asker | undefined;
  readonly address: string;
  /** Of an answer that is JSON, or a refusal's page. */
  readonly body: string | undefined;
  /** Everything the caller sent: to know it again in the answer, not to be kept. */
  readonly received: readonly unknown[];
};

export type AnswerListener = {
  /** Whether an answer is heard of that is no refusal. Asked of every one: it has to be cheap. */
  isHeard(requestId: string): boolean;
  /** Every refusal, and the others that `isHeard` names. It does not throw. */
  heard(answer: Answer): void;
};

const FIRST_REFUSAL = 400;

/** No calls of applications or their users. */
const UNHEARD = /\/health$|^\/dashboard(\/|$)/;

/** Hears of every answer, for nothing but its number: it has to be cheap, and does not throw. */
export type AnswerCounter = {
  answered(asker: Asker | undefined, isRefusal: boolean): void;
};

/** Who hears of answers: one look at each for both. */
export type AnswerHearers = {
  readonly answerListener?: AnswerListener | undefined;
  readonly answerCounter?: AnswerCounter | undefined;
};

const NOBODY: AnswerListener = { isHeard: () => false, heard() {} };

/** Tells them of the answers of all routes. `since`: when a request came, on the clock of `now`. */
export function hearAnswers(
  app: FastifyInstance,
  { answerListener = NOBODY, answerCounter }: AnswerHearers,
  { since, now }: { since(request: IncomingMessage): number | undefined; now(): number },
): void {
  const { isHeard, heard } = answerListener;
  app.addHook('onSend', (request, reply, payload, next) => {
    const isRefusal = reply.statusCode >= FIRST_REFUSAL;
    answerCounter?.answered(request.asker, isRefusal);
    if (isRefusal || isHeard(request.id)) {
      const at = now();
      const durationMs = Math.round(at - (since(request.raw) ?? at));
      const { url } = request.routeOptions;
      if (url === undefined || !UNHEARD.test(url)) heard(answerOf({ request, reply, payload, durationMs }));
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

function answerOf({ request, reply, payload, durationMs }: Sent): Answer {
  const { id, method, routeOptions, asker, refusalBody, ip, params, query, body, headers } = request;
  const isJson = String(reply.getHeader('content-type') ?? '').startsWith('application/json');
  const shown = refusalBody === undefined ? undefined : JSON.stringify(refusalBody);
  return {
    requestId: id,
    method,
    route: routeOptions.url,
    status: reply.statusCode,
    durationMs,
    asker,
    address: ip,
    body: isJson && typeof payload === 'string' ? payload : shown,
    received: [params, query, body, headers.authorization],
  };
}
