/** GET /ready: 200 where requests can be served now, else 503 with why not. For load balancers; /health says that the process lives. */
import type { FastifyPluginAsync } from 'fastify';

import { ANY_CALL, ApiError, type ErrorRow } from './refusal.ts';

/** What keeps this instance from serving. */
type Unready = 'away' | 'read_only' | 'unmigrated' | 'stopping';

export type ReadyRouteDeps = {
  readonly readiness: () => Promise<'ready' | Exclude<Unready, 'stopping'>>;
  /** Whether the process was told to stop and still takes requests. */
  readonly isDraining?: (() => boolean) | undefined;
};

const ROWS: Readonly<Record<Unready, ErrorRow>> = {
  away: ANY_CALL.database_unreachable,
  read_only: ANY_CALL.database_read_only,
  unmigrated: ANY_CALL.migrations_pending,
  stopping: ANY_CALL.stopping,
};

/** At the origin's root alone. */
export function readyRoute({ readiness, isDraining }: ReadyRouteDeps): FastifyPluginAsync {
  return async (app) => {
    let isClosing = false;
    // Connections that are open already go on being answered.
    app.addHook('preClose', async () => {
      isClosing = true;
    });
    app.route({
      method: ['GET', 'HEAD'],
      url: '/ready',
      handler: async () => {
        const state = isClosing || isDraining?.() ? 'stopping' : await readiness();
        if (state === 'ready') return { status: 'ready' };
        throw new ApiError(ROWS[state]);
      },
    });
  };
}
