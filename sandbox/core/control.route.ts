/**
 * /control: faults and time as JSON, for tests and scripts. For this machine only: a request that names
 * another host, or that a page elsewhere had a browser send, is refused.
 */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';

import { type Input, readBody, readQuery } from '../../src/http/fields.ts';
import { ApiError } from '../../src/http/refusal.ts';
import { SERVER } from '../../src/http/server-error.ts';
import { isLoopbackHost } from '../../src/lib/egress/private-network.ts';
import {
  ACCESS_BODY,
  CLOCK_BODY,
  CURSORS_BODY,
  FAULT_BODY,
  faultOf,
  invalid,
  PERSON,
  parseTurn,
  SANDBOX,
} from './control.schema.ts';
import type { ControlDeps } from './control-deps.ts';
import { controlPageRoute } from './control-page.route.ts';
import { changeEvent, EVENT_BODY, findPerson, listEvents } from './event-control.ts';

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
        throw new ApiError(SERVER.not_found, 'There is no such fault, or it is over');
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
    app.get('/control/events', async ({ query }) => ({
      events: listEvents(readQuery(query, PERSON), deps),
    }));
    app.post('/control/events', async ({ body }, reply) => {
      reply.code(201);
      return changeEvent(readBody(body, EVENT_BODY), deps);
    });
    app.post('/control/access', async ({ body }) => changeAccess(readBody(body, ACCESS_BODY), deps));
    app.post('/control/cursors', async ({ body }, reply) => {
      await expireCursors(readBody(body, CURSORS_BODY), deps);
      return reply.code(204).send();
    });
    await app.register(controlPageRoute(deps));
  };
}

/** Returns the new password of a person whose provider has passwords. */
async function changeAccess(
  { provider, user, action }: Input<typeof ACCESS_BODY>,
  deps: ControlDeps,
): Promise<{ readonly password?: string | undefined }> {
  const { manual } = findPerson({ provider, user }, deps);
  if (action === 'revoke') {
    await manual.revokeAccess(user);
    return { password: deps.passwordOf?.({ kind: provider, email: user }) };
  }
  if (provider !== 'microsoft') throw invalid('action', 'action must be revoke at this provider');
  await deps.organisation?.demandConsent(user);
  return {};
}

async function expireCursors(
  { client_id: clientId, user_id: userId, provider, user }: Input<typeof CURSORS_BODY>,
  deps: ControlDeps,
): Promise<void> {
  if (provider !== undefined && user !== undefined) {
    const { manual, calendars } = findPerson({ provider, user }, deps);
    for (const calendar of calendars) await manual.forgetSyncTokens(user, calendar);
    return;
  }
  if (clientId === undefined || userId === undefined)
    throw invalid('client_id', 'client_id and user_id are missing, or provider and user');
  if (!(await deps.expireCursors?.({ clientId, userId })))
    throw invalid('user_id', 'user_id is not a user of this application');
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
