/** An entry of the request log, as the server would have written it. */
import { NOW, USER } from './administration-app.ts';

export const REFUSED_REQUEST = {
  ...{ requestId: 'req-1', at: NOW, method: 'GET', route: '/events', status: 403, durationMs: 3 },
  ...{ clientId: 'acme', isClaimed: false, userId: USER, network: '192.0.2.0/24' },
  ...{ body: '{"code":"insufficient_scope"}', repeated: 1 },
};
