/**
 * The memory of bodies that are on their way, of all requests together. Each is kept whole until its end has come, so
 * many large ones at once that never end would fill it.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Transform } from 'node:stream';

import type { FastifyInstance } from 'fastify';

import { ANY_CALL, ApiError } from './refusal.ts';
import { CHOICE_BYTES } from './sizes.ts';

/** How much all large bodies may take, and up to which limit of its route a body is a small one; in bytes. */
export type BodyRoom = { readonly most: number; readonly small: number };

/** What the limit of connections bounds by itself is not counted, so that nobody without a token takes the room of others. */
export const BODY_ROOM: BodyRoom = { most: 24 * 1024 * 1024, small: CHOICE_BYTES };

/** The part of the room that one caller may take, by what it authenticates with. */
const SHARE = 1 / 4;

/** Refuses a body with 503 while it and all others that have not arrived whole would take more than the room there is. */
export function limitBodyRoom(app: FastifyInstance, { most, small }: BodyRoom): void {
  let taken = 0;
  const ofCaller = new Map<string, number>();
  const full = `The bodies that are being received take more than ${most / 1024 / 1024} MiB: send it again in a few seconds`;

  /** `bytes` may be negative. */
  const take = (caller: string, bytes: number): void => {
    taken += bytes;
    const now = (ofCaller.get(caller) ?? 0) + bytes;
    if (now === 0) ofCaller.delete(caller);
    else ofCaller.set(caller, now);
  };
  const isRoomFor = (caller: string, bytes: number): boolean =>
    taken + bytes <= most && (ofCaller.get(caller) ?? 0) + bytes <= most * SHARE;

  app.addHook('preParsing', (request, reply, payload, next) => {
    if (isWithoutBody(request.headers) || (request.routeOptions.bodyLimit ?? small) <= small) {
      next(null, payload);
      return;
    }
    const caller = request.headers.authorization ?? '';
    let own = 0;
    const release = () => {
      take(caller, -own);
      own = 0;
    };
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        if (!isRoomFor(caller, chunk.length)) {
          done(tooMuch(full));
          return;
        }
        own += chunk.length;
        take(caller, chunk.length);
        done(null, chunk);
      },
      flush(done) {
        release();
        done();
      },
    });
    counted.once('error', release);
    // A client that goes away ends neither.
    reply.raw.once('close', () => {
      release();
      counted.destroy();
    });
    next(null, payload.pipe(counted));
  });
}

const isWithoutBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';

/** With a status of its own: the framework takes what fails while a body is read for the caller's fault. */
function tooMuch(message: string): ApiError {
  const refusal = new ApiError(ANY_CALL.too_many_bodies, message);
  return Object.assign(refusal, { statusCode: refusal.status });
}
