/** The first page. */
import { html } from '../http/html.ts';
import { mayRole } from '../people/permission.ts';
import { readableApplications } from './applications.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import type { DashboardRoute } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { APPLICATIONS } from './pages/applications.page.ts';
import { top } from './pages/parts.page.ts';
import { waitingLink } from './pages/verification.page.ts';
import { waitingReviews } from './reviews.ts';

export const overviewRoutes = (deps: OpenDashboard): DashboardRoute[] => [
  {
    method: 'GET',
    path: '/dashboard',
    needs: 'overview.read',
    async handle({ person, show }) {
      const { length: count } = await readableApplications(person, deps);
      const waiting = mayRole(person.role, 'verification.review') ? await waitingReviews(person, deps) : [];
      const title = messages.text('overview.title');
      const first = html`<div class="empty"><p>${messages.text('overview.first')}</p>
<div class="buttons"><a class="button primary" href="${APPLICATIONS}/new">${messages.text('applications.create')}</a></div></div>`;
      const counted = messages.text('overview.applications', { count });
      const content = html`${top(title, messages.markup('overview.hello', { name: person.name }))}
<h2>${count === 0 ? counted : html`<a href="${APPLICATIONS}">${counted}</a>`}</h2>
${waitingLink(waiting.length)}
${count === 0 && person.role === 'owner' && first}`;
      return show({ title, content });
    },
  },
];
