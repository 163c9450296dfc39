/** GET /ready for load balancers: 200 if requests can be served now, else 503 with the reason. */
import type { FastifyPluginAsync } from 'fastify';
import { ApiError, type ErrorRow, errorTable } from './refusal.ts';

/** Why this instance cannot serve requests. */
type Unready = 'away' | 'read_only' | 'unmigrated' | 'stopping';

export type ReadyRouteDeps = {
  readonly readiness: () => Promise<'ready' | Exclude<Unready, 'stopping'>>;
  /** Whether the process received the stop signal and still accepts requests. */
  readonly isDraining?: (() => boolean) | undefined;
};

export const READINESS = errorTable({
  database_unreachable: {
    status: 503,
    message: 'The database does not respond',
    when: '`/ready` only: the database does not respond.',
    fix: 'The request is correct. The operator checks the database.',
    retryAfter: 1,
  },
  database_read_only: {
    status: 503,
    message: 'The database is read-only',
    when: '`/ready` only: the database is a standby or otherwise read-only.',
    fix: 'The request is correct. The operator checks that `KALENDS_DATABASE_URL` names the primary.',
    retryAfter: 1,
  },
  migrations_pending: {
    status: 503,
    message: 'The database is not migrated yet',
    when: '`/ready` only: the database is not migrated yet.',
    fix: 'Repeat the request after the server has started.',
    retryAfter: 1,
  },
  stopping: {
    status: 503,
    message: 'This instance is stopping',
    when: '`/ready` only: this instance is stopping.',
    fix: 'Send the request to another instance.',
    retryAfter: 1,
  },
});

const ROWS: Readonly<Record<Unready, ErrorRow>> = {
  away: READINESS.database_unreachable,
  read_only: READINESS.database_read_only,
  unmigrated: READINESS.migrations_pending,
  stopping: READINESS.stopping,
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
