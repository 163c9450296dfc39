/** The Connect pages of an application, to be looked at in a frame of its Branding. */

import { readApplication } from '../administration/applications.ts';
import { sendPage } from '../http/page.ts';
import type { DashboardRoute } from './guard.ts';
import { previewOf, readPreviewWish } from './preview.ts';

export const previewRoutes = (): DashboardRoute[] => [
  {
    method: 'GET',
    path: '/dashboard/preview/:clientId',
    needs: 'application.read',
    async handle({ person, parameter, query, reply, deps }) {
      const client = await readApplication(person, parameter('clientId'), deps);
      return sendPage(reply, await previewOf(client, readPreviewWish(query), deps));
    },
  },
];
