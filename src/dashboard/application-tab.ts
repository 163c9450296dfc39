/** The application in a path, and the page that shows one of its tabs. */
import type { FastifyReply } from 'fastify';
import { readApplication } from '../administration/applications.ts';
import type { Client } from '../oauth/client.ts';
import type { DashboardVisit } from './guard.ts';
import type { DashboardMessageKey } from './messages/messages.ts';
import { type ApplicationPageParts, applicationPage, OVERLAP_HOURS } from './pages/application.page.ts';
import type { DashboardPage } from './pages/layout.page.ts';
import { doneText } from './pages/parts.page.ts';

/** Returns the application in the path. Throws PeopleRefusal `not_there`. */
export const readClient = ({ person, parameter, deps }: DashboardVisit): Promise<Client> =>
  readApplication(person, parameter('clientId'), deps);

type Shown = Omit<ApplicationPageParts, 'client' | 'said'> &
  Partial<Pick<DashboardPage, 'title' | 'hasFrames' | 'isLive'>> & {
    /** The application in the path, if it was read before. */
    readonly client?: Client;
    /** The notices of actions, which are not shown with an error. */
    readonly done?: Readonly<Record<string, DashboardMessageKey>>;
    readonly status?: number;
  };

export async function showTab(
  visit: DashboardVisit,
  { tab, content, client, done = {}, status = 200, ...page }: Shown,
): Promise<FastifyReply> {
  const parts = { client: client ?? (await readClient(visit)), tab, content };
  const notice = status === 200 ? doneText(visit.query('done'), done) : undefined;
  return visit.show({ ...applicationPage({ ...parts, said: notice }, visit.viewer), ...page }, status);
}

const HOUR_MS = 3_600_000;

/** Returns how long the previous secret stays valid, as the form says, in milliseconds. */
export function readOverlap({ field }: DashboardVisit): number {
  const hours = OVERLAP_HOURS.find((one) => String(one) === field('overlap')) ?? OVERLAP_HOURS[0];
  return (hours ?? 0) * HOUR_MS;
}
