/** The first page. */
import { html } from '../http/html.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import type { DashboardRoute } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { command, top } from './pages/parts.page.ts';

const CREATE =
  'npm run kalends -- client create --name "My app" --display-name "My app" \\\n  --redirect-uri http://localhost:3000/callback';

export const overviewRoutes = ({ clients }: OpenDashboard): DashboardRoute[] => [
  {
    method: 'GET',
    path: '/dashboard',
    needs: 'overview.read',
    async handle({ person, show }) {
      const all = await clients.listClients();
      const { length: count } = person.role === 'developer' ? person.clientIds : all;
      const title = messages.text('overview.title');
      const content = html`${top(title, messages.markup('overview.hello', { name: person.name }))}
<h2>${messages.text('overview.applications', { count })}</h2>
${all.length === 0 && person.role === 'owner' && html`<div class="empty">${messages.text('overview.first')}${command(CREATE)}</div>`}`;
      return show({ title, content });
    },
  },
];
