/** Functions that define the routes of the dashboard, for `mount`. */
import type { Permission } from '../people/permission.ts';
import type { DashboardRoute, OpenRoute } from './guard.ts';

const memberRoute =
  (method: DashboardRoute['method'], freshness: Pick<DashboardRoute, 'isFresh'> = {}) =>
  (path: string, needs: Permission, handle: DashboardRoute['handle']): DashboardRoute => ({
    ...{ method, path, needs, handle },
    ...freshness,
  });

export const get = memberRoute('GET');
export const post = memberRoute('POST');
export const freshGet = memberRoute('GET', { isFresh: true });
export const freshPost = memberRoute('POST', { isFresh: true });

const openRoute =
  (method: OpenRoute['method']) =>
  (path: string, handle: OpenRoute['handle']): OpenRoute => ({ method, path, needs: 'nobody', handle });

export const openGet = openRoute('GET');
export const openPost = openRoute('POST');
