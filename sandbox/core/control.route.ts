/**
 * /control: faults and time as JSON, for tests and scripts. For this machine only: a request that names
 * another host, or that a page elsewhere had a browser send, is refused.
 */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';

import { readBody } from '../../src/http/fields.ts';
import { ANY_CALL, ApiError } from '../../src/http/refusal.ts';
import { isLoopbackHost } from '../../src/lib/egress/private-network.ts';
import { CLOCK_BODY, FAULT_BODY, faultOf, invalid, parseTurn, SANDBOX } from './control.schema.ts';
import type { ControlDeps } from './control-deps.ts';
import { controlPageRoute } from './control-page.route.ts';

/** The JSON endpoints and the page; mount it at the root of a server that maps errors (`createServer`). */
export function controlRoute(deps: ControlDeps): FastifyPluginAsync {
  const { clock, faults } = deps;
  const time = () => ({ now: clock.now(), iso: new Date(clock.now()).toISOString() });

  return async (app) => {
    app.addHook('onRequest', async (request) => refuseStrangers(request));
    app.get('/control/faults', async () => ({ faults: faults.list() }));
    app.post('/control/faults', async ({ body }, reply) => {
      reply.code(201);
      return { id: faults.set(faultOf(readBody(body, FAULT_BODY))) };
    });
    app.delete('/control/faults', async (_request, reply) => {
      faults.clear();
      return reply.code(204).send();
    });
    app.delete<{ Params: { id: string } }>('/control/faults/:id', async ({ params: { id } }, reply) => {
      if (!faults.list().some((fault) => fault.id === id)) {
        throw new ApiError(ANY_CALL.not_found, 'There is no such fault, or it is over');
      }
      faults.clear(id);
      return reply.code(204).send();
    });
    app.get('/control/messages', async () => ({ messages: deps.sent?.() ?? [] }));
    app.get('/control/clock', async () => time());
    app.post('/control/clock', async ({ body }) => {
      const { turn, reset } = readBody(body, CLOCK_BODY);
      if (turn === undefined && reset !== true) {
        throw invalid('turn', 'turn is missing: milliseconds or an ISO 8601 duration; or send reset: true');
      }
      if (reset) clock.reset();
      if (turn !== undefined) clock.turn(parseTurn(turn, clock.now()));
      return time();
    });
    await app.register(controlPageRoute(deps));
  };
}

/** A page elsewhere can make a browser send forms to this machine, under any name that leads here. */
function refuseStrangers({ hostname, headers }: FastifyRequest): void {
  if (!isLoopbackHost(hostname)) {
    throw new ApiError(SANDBOX.forbidden, 'The control endpoint answers under a loopback address only');
  }
  const site = headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') {
    throw new ApiError(SANDBOX.forbidden);
  }
}
