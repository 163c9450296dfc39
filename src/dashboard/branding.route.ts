/** The branding tab of an application: colors, logos, and a preview. */

import {
  changeApplicationLook,
  type LogoField,
  removeLogo,
  setLogo,
} from '../administration/application-look.ts';
import { readReview } from '../administration/reviews.ts';
import { MOST_LOGO_BYTES } from '../branding/logo-image.ts';
import { html } from '../http/html.ts';
import { apiMessage } from '../http/refusal.ts';
import { FORM_BYTES } from '../http/sizes.ts';
import { uploadedFile } from '../http/upload-body.ts';
import { changedFields } from '../verification/verification.ts';
import { readClient, showTab } from './application-tab.ts';
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { APPLICATIONS, applicationPath } from './pages/applications.page.ts';
import { BRANDING_DONE, BRANDING_TAB, type BrandingTyped, brandingContent } from './pages/branding.page.ts';
import { editNotice } from './pages/verification.page.ts';
import { readPreviewWish } from './preview.ts';
import { get, post } from './routes.ts';

const TAB = `${APPLICATIONS}/:clientId${BRANDING_TAB}`;

/** One logo and the other fields. The margin lets a slightly larger file reach the form, which reports it. */
const UPLOAD_BYTES = MOST_LOGO_BYTES + 512 * 1024 + FORM_BYTES;

export const brandingRoutes = (): DashboardRoute[] => [
  get(TAB, 'application.read', async (visit) => {
    const { draft } = readPreviewWish(visit.query);
    return showBranding(visit, draft === undefined ? {} : { look: draft });
  }),
  post(TAB, 'application.change', async (visit) => {
    const { person, parameter, field, reply, deps } = visit;
    const clientId = parameter('clientId');
    // The form has the same fields as the preview.
    const { draft: look } = readPreviewWish((name) => (name === 'draft' ? 'yes' : field(name)));
    if (look === undefined) throw new Error('A draft was asked for');
    const problem = await changeApplicationLook(person, { clientId, typed: look }, deps).catch(apiMessage);
    if (typeof problem === 'string')
      return showBranding(visit, { look, problems: { primaryColor: problem } });
    return goTo(reply, `${applicationPath(clientId)}${BRANDING_TAB}?done=look`);
  }),
  ...logoRoutes('logo', 'logo'),
  ...logoRoutes('dark-logo', 'darkLogo'),
];

const logoRoutes = (path: string, logo: LogoField): DashboardRoute[] => [
  {
    ...post(`${TAB}/${path}`, 'application.change', async (visit) => {
      const { person, parameter, field, http, reply, deps } = visit;
      const clientId = parameter('clientId');
      const url = field('url').trim();
      const change = { clientId, field: logo, file: uploadedFile(http.body, 'file'), url };
      const problem = await setLogo(person, change, deps).catch(apiMessage);
      if (typeof problem === 'string')
        return showBranding(visit, { urls: { [logo]: url }, problems: { [logo]: problem } });
      return goTo(reply, `${applicationPath(clientId)}${BRANDING_TAB}?done=logo`);
    }),
    mostBytes: UPLOAD_BYTES,
  },
  post(`${TAB}/${path}/remove`, 'application.change', async ({ person, parameter, reply, deps }) => {
    const clientId = parameter('clientId');
    await removeLogo(person, { clientId, field: logo }, deps);
    return goTo(reply, `${applicationPath(clientId)}${BRANDING_TAB}?done=removed`);
  }),
];

async function showBranding(visit: DashboardVisit, typed: BrandingTyped) {
  const { person, viewer, parameter, query, deps } = visit;
  const clientId = parameter('clientId');
  const client = await readClient(visit);
  const { verification } = await readReview(person, { clientId }, deps);
  const { branding } = await deps.branding.findLook(clientId);
  const { present, approved } = verification;
  const hasOther = approved !== undefined && changedFields(present, approved).length > 0;
  const wish = { ...readPreviewWish(query), draft: typed.look };
  const parts = { client, branding, hasOther, wish, typed };
  const content = html`${editNotice(verification, viewer)}${brandingContent(parts, viewer)}`;
  const status = typed.problems === undefined ? 200 : 400;
  return showTab(visit, { client, tab: BRANDING_TAB, content, done: BRANDING_DONE, status, hasFrames: true });
}
