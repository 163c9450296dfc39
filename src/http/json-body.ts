/** Bodies of type application/json. */
import type { FastifyInstance } from 'fastify';

import { isDeeperThan } from '../lib/json.ts';
import { ANY_CALL, ApiError } from './refusal.ts';
import { JSON_LEVELS } from './sizes.ts';

const message = `The body must not be nested deeper than ${JSON_LEVELS} levels`;
const TOO_DEEP = new ApiError(ANY_CALL.invalid_request, { message, field: 'body' });

/**
 * Makes `app` read them. Published clients send `Content-Type: application/json` with no body (docs/wire.md 1): that is
 * no body. One that is nested too deep is refused before anything is made of it.
 */
export function readJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body.toString();
    if (text.length === 0) done(null, undefined);
    else if (isDeeperThan(text, JSON_LEVELS)) done(TOO_DEEP, undefined);
    else parse(request, text, done);
  });
}
