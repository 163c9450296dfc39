/** GET /ready: 200 where requests can be served now, else 503 with why not. For load balancers; /health says that the process lives. */
import type { FastifyPluginAsync } from 'fastify';

import { ApiError } from './refusal.ts';

/** What keeps this instance from serving. */
type Unready = 'away' | 'read_only' | 'unmigrated' | 'stopping';

export type ReadyRouteDeps = {
  readonly readiness: () => Promise<'ready' | Exclude<Unready, 'stopping'>>;
  /** Whether the process was told to stop and still takes requests. */
  readonly isDraining?: (() => boolean) | undefined;
};

const RETRY_SECONDS = '1';

const REASONS: Readonly<Record<Unready, { readonly code: string; readonly message: string }>> = {
  away: { code: 'database_unreachable', message: 'The database does not answer' },
  read_only: { code: 'database_read_only', message: 'The database takes no writes' },
  unmigrated: { code: 'migrations_pending', message: 'Migrations of the database are not done' },
  stopping: { code: 'stopping', message: 'This instance is stopping' },
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
        const { code, message } = REASONS[state];
        throw new ApiError(503, code, { message, headers: { 'retry-after': RETRY_SECONDS } });
      },
    });
  };
}
