/** The origin and the networks at which the dashboard and the administration API respond. */
import type { FastifyRequest } from 'fastify';

export type DashboardOrigin = {
  /** Undefined if the dashboard is off. */
  readonly dashboardUrl: string | undefined;
  /** Whether the dashboard has its own origin and responds only there. */
  readonly hasOwnOrigin: boolean;
  /** Returns whether the dashboard can be reached from this network address. */
  readonly isDashboardNetwork: (address: string) => boolean;
};

export const isAtDashboard = (
  { host, ip }: Pick<FastifyRequest, 'host' | 'ip'>,
  { dashboardUrl, hasOwnOrigin, isDashboardNetwork }: DashboardOrigin,
): boolean =>
  dashboardUrl !== undefined &&
  (!hasOwnOrigin || host === new URL(dashboardUrl).host) &&
  isDashboardNetwork(ip);
