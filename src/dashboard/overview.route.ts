/** The first page. */

import { waitingReviews } from '../administration/reviews.ts';
import { html } from '../http/html.ts';
import { mayRole } from '../people/permission.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import type { DashboardRoute } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { overviewOf } from './overview.ts';
import { APPLICATIONS } from './pages/applications.page.ts';
import { overviewContent } from './pages/overview.page.ts';
import { top } from './pages/parts.page.ts';
import { SYSTEM } from './pages/system.page.ts';
import { checksNotice } from './pages/system-checks.page.ts';
import { waitingLink } from './pages/verification.page.ts';

export const overviewRoutes = (deps: OpenDashboard): DashboardRoute[] => [
  {
    method: 'GET',
    path: '/dashboard',
    needs: 'overview.read',
    async handle({ person, show }) {
      const [overview, waiting, checks] = await Promise.all([
        overviewOf(person, deps),
        mayRole(person.role, 'verification.review') ? waitingReviews(person, deps) : [],
        mayRole(person.role, 'system.read') ? deps.system.lastChecks() : undefined,
      ]);
      const { applications: count } = overview;
      const title = messages.text('overview.title');
      const counted = messages.text('overview.applications', { count });
      const content = html`${top(title, messages.markup('overview.hello', { name: person.name }))}
${waitingLink(waiting.length)}
${checksNotice(checks, SYSTEM)}
<p>${count === 0 ? counted : html`<a href="${APPLICATIONS}">${counted}</a>`}</p>
${overviewContent(overview, person)}`;
      return show({ title, content });
    },
  },
];
