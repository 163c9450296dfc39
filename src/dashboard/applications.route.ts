/** The list of applications, and creating one. */

import { createApplication, readableApplications } from '../administration/applications.ts';
import {
  NEW_SETTINGS,
  TEXT_SETTINGS,
  type TextSettingKey,
} from '../administration/documents/application-settings.ts';
import { waitingReviews } from '../administration/reviews.ts';
import { html } from '../http/html.ts';
import { mayRole } from '../people/permission.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import type { DashboardRoute } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import {
  APPLICATIONS,
  applicationsPage,
  createdPage,
  newApplicationPage,
  REDIRECT_URIS,
} from './pages/applications.page.ts';
import { playgroundPath } from './pages/playground.page.ts';
import { waitingLink } from './pages/verification.page.ts';
import { get, post } from './routes.ts';

/** Returns the typed fields, trimmed: copied text often has spaces around it. */
export function typedFields<const K extends TextSettingKey>(
  keys: readonly K[],
  field: (name: string) => string,
): Readonly<Record<K, string>> {
  const entries = keys.map((key) => [key, field(TEXT_SETTINGS[key].name).trim()]);
  return Object.fromEntries(entries) as Record<K, string>; // one for each key
}

/** Returns the redirect URIs of the form, one in each line. */
export function typedUris(field: (name: string) => string): readonly [string, ...string[]] {
  const lines = field(REDIRECT_URIS)
    .split('\n')
    .map((line) => line.trim());
  const [first = '', ...others] = lines.filter((line) => line !== '');
  return [first, ...others];
}

export const applicationsRoutes = (deps: OpenDashboard): DashboardRoute[] => [
  get(APPLICATIONS, 'application.list', async ({ person, viewer, query, show }) => {
    const clients = await readableApplications(person, deps);
    const notice = query('done') === 'deleted' ? html`${messages.text('applications.deleted')}` : undefined;
    const waiting = mayRole(person.role, 'verification.review') ? await waitingReviews(person, deps) : [];
    const content = applicationsPage({ clients, said: notice, waiting: waitingLink(waiting.length) }, viewer);
    return show({ title: messages.text('applications.title'), content });
  }),
  get(`${APPLICATIONS}/new`, 'application.create', async ({ viewer, show }) => {
    return show({
      title: messages.text('application_new.title'),
      content: newApplicationPage({}, viewer),
    });
  }),
  post(`${APPLICATIONS}/new`, 'application.create', async ({ person, viewer, field, show, deps }) => {
    const values = typedFields(NEW_SETTINGS, field);
    const redirectUris = typedUris(field);
    const created = await createApplication(person, { ...values, redirectUris }, deps);
    if ('problems' in created) {
      const filled = { values, redirectUris, problems: created.problems };
      const content = newApplicationPage(filled, viewer);
      return show({ title: messages.text('application_new.title'), content }, 400);
    }
    const content = createdPage({
      ...created,
      url: deps.publicUrl,
      tryAt: playgroundPath(created.client.clientId),
    });
    return show({ title: created.client.name, content });
  }),
];
