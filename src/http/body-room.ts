/** Limits the memory of request bodies that are still arriving: many large bodies that never end would fill it. */
import type { IncomingHttpHeaders } from 'node:http';
import { Transform } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { ApiError } from './refusal.ts';
import { SERVER } from './server-error.ts';
import { CHOICE_BYTES } from './sizes.ts';

/** The most bytes of large bodies together, and the route limit in bytes up to which a body counts as small. */
export type BodyRoom = { readonly most: number; readonly small: number };

/** Small bodies are not counted: the connection limit bounds them, so callers without a token cannot take the space. */
export const BODY_ROOM: BodyRoom = { most: 24 * 1024 * 1024, small: CHOICE_BYTES };

/** The share of the space that one caller may take, identified by its credentials. */
const SHARE = 1 / 4;

/** Refuses a body with 503 if it and all other incomplete bodies would exceed the limit. */
export function limitBodyRoom(app: FastifyInstance, { most, small }: BodyRoom): void {
  let heldBytes = 0;
  const ofCaller = new Map<string, number>();
  const full = `Bodies that are being received use more than ${most / 1024 / 1024} MiB: send the request again in a few seconds`;

  /** `bytes` may be negative. */
  const take = (caller: string, bytes: number): void => {
    heldBytes += bytes;
    const now = (ofCaller.get(caller) ?? 0) + bytes;
    if (now === 0) ofCaller.delete(caller);
    else ofCaller.set(caller, now);
  };
  const isRoomFor = (caller: string, bytes: number): boolean =>
    heldBytes + bytes <= most && (ofCaller.get(caller) ?? 0) + bytes <= most * SHARE;

  app.addHook('preParsing', (request, reply, payload, next) => {
    if (isWithoutBody(request.headers) || (request.routeOptions.bodyLimit ?? small) <= small) {
      next(null, payload);
      return;
    }
    const caller = request.headers.authorization ?? '';
    let ownBytes = 0;
    const release = () => {
      take(caller, -ownBytes);
      ownBytes = 0;
    };
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        if (!isRoomFor(caller, chunk.length)) {
          done(tooMuch(full));
          return;
        }
        ownBytes += chunk.length;
        take(caller, chunk.length);
        done(null, chunk);
      },
      flush(done) {
        release();
        done();
      },
    });
    counted.once('error', release);
    // Neither event occurs if the client disconnects.
    reply.raw.once('close', () => {
      release();
      counted.destroy();
    });
    next(null, payload.pipe(counted));
  });
}

const isWithoutBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';

/** Has its own status: the framework would report an error while reading a body as the caller's error. */
function tooMuch(message: string): ApiError {
  const refusal = new ApiError(SERVER.too_many_bodies, message);
  return Object.assign(refusal, { statusCode: refusal.status });
}
