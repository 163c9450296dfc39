/** GET /ready for load balancers: 200 if requests can be served now, else 503 with the reason. */
import type { FastifyPluginAsync } from 'fastify';
import { ANY_CALL, ApiError, type ErrorRow } from './refusal.ts';

/** Why this instance cannot serve requests. */
type Unready = 'away' | 'read_only' | 'unmigrated' | 'stopping';

export type ReadyRouteDeps = {
  readonly readiness: () => Promise<'ready' | Exclude<Unready, 'stopping'>>;
  /** Whether the process received the stop signal and still accepts requests. */
  readonly isDraining?: (() => boolean) | undefined;
};

const ROWS: Readonly<Record<Unready, ErrorRow>> = {
  away: ANY_CALL.database_unreachable,
  read_only: ANY_CALL.database_read_only,
  unmigrated: ANY_CALL.migrations_pending,
  stopping: ANY_CALL.stopping,
};

/** Mounted only at the root of the origin. */
export function readyRoute({ readiness, isDraining }: ReadyRouteDeps): FastifyPluginAsync {
  return async (app) => {
    let isClosing = false;
    // Requests on open connections are still served.
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
