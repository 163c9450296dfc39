/** The operations on the branding of an application. */
import { THEMES } from '../../branding/branding.ts';
import { MOST_LOGO_BYTES } from '../../branding/logo-image.ts';
import { SETTINGS } from '../../branding/settings-error.ts';
import { flag, oneOf, parsed, required, text } from '../../http/fields.ts';
import { FORM_BYTES } from '../../http/sizes.ts';
import { changeApplicationLook, removeLogo, setLogo } from '../application-look.ts';
import { readListed } from '../application-subject.ts';
import { readApplication } from '../applications.ts';
import { type ApplicationSubject, BRANDING } from '../documents/application.ts';
import { toDocument } from '../documents/field.ts';
import { type AdministrationDeps, CLIENT, DRY_RUN, operation } from './operation.ts';

const GROUP = 'Branding';
const PATH = '/applications/{client_id}/branding';
const LOGO_PATH = '/applications/{client_id}/logos/{scheme}';
/** A larger body would not fit into a key's share of the memory for bodies. */
const UPLOAD_BYTES = MOST_LOGO_BYTES + 512 * 1024 + FORM_BYTES;

const SCHEMES = ['light', 'dark'];
const LOGO = {
  ...CLIENT,
  scheme: required(oneOf(SCHEMES, { doc: 'The pages that show the logo.', example: 'light' })),
};
const logoField = (scheme: (typeof SCHEMES)[number]) => (scheme === 'light' ? 'logo' : 'darkLogo');

const OUTPUT = {
  result: BRANDING.map(({ name }) => name),
  version: ({ version }: ApplicationSubject) => version,
  toDocument: (subject: ApplicationSubject) => toDocument(BRANDING, subject),
};

async function readBranding(clientId: string, deps: AdministrationDeps): Promise<ApplicationSubject> {
  // Read first: the version is never newer than the values.
  const version = await deps.branding.findVersion(clientId);
  const client = await readApplication(deps.actor, clientId, deps);
  return { ...(await readListed(client, deps)), version };
}

export const showBranding = operation({
  ...{ id: 'showBranding', method: 'get', path: PATH, group: GROUP },
  ...{ summary: 'Show the branding of an application', permission: 'application.read' },
  ...{ pathFields: CLIENT, fields: {}, command: 'client show', ...OUTPUT },
  run: ({ client_id: clientId }, deps) => readBranding(clientId, deps),
});

export const updateBranding = operation({
  ...{ id: 'updateBranding', method: 'patch', path: PATH, group: GROUP },
  summary: 'Change the branding of an application',
  description: 'Absent fields keep their values. All given fields are changed, or none.',
  permission: 'application.change',
  errors: [SETTINGS.invalid_client_metadata, SETTINGS.changed_meanwhile],
  pathFields: CLIENT,
  fields: {
    enabled: flag({ doc: '`false`: pages have the default appearance. All settings stay.' }),
    primary_color: text({
      ...{ max: 20, absent: 'never', example: '#1f4fd8' },
      doc: 'The color of buttons and links, `#rrggbb`. An empty text removes it.',
    }),
    theme: oneOf(THEMES, { doc: "`auto` follows the user's choice or device." }),
    hide_footer: flag({ doc: '`true`: pages do not mention Kalends in the footer.' }),
  },
  ...{ command: 'client update', ...OUTPUT },
  async run({ client_id: clientId, enabled, theme, ...input }, deps) {
    const typed = { enabled, theme, primaryColor: input.primary_color, hideFooter: input.hide_footer };
    await changeApplicationLook(deps.actor, { clientId, typed }, deps);
    return readBranding(clientId, deps);
  },
});

export const setLogoOperation = operation({
  ...{ id: 'setLogo', method: 'post', path: LOGO_PATH, group: GROUP },
  summary: 'Set a logo of an application',
  description:
    'Send a PNG, JPEG, WebP or SVG of at most 5 MB as the body, with its content type, or JSON with `picture` or `url`. It is rendered as a WebP of at most 192 pixels per side.',
  permission: 'application.change',
  errors: [
    ...[SETTINGS.invalid_client_metadata, SETTINGS.pictures_unavailable, SETTINGS.too_many_pictures],
    SETTINGS.changed_meanwhile,
  ],
  pathFields: LOGO,
  fields: {
    picture: parsed(readPicture, {
      doc: 'The picture in Base64, at most 4 MB.',
      schema: { type: 'string', contentEncoding: 'base64' },
      problem: 'must be a picture in Base64',
    }),
    url: text({ max: 2_048, doc: 'An https URL from which the picture is downloaded now; at most 2 MB.' }),
  },
  ...{ mostBytes: UPLOAD_BYTES, command: 'client update', ...OUTPUT },
  async run({ client_id: clientId, scheme, picture: file, url = '' }, deps) {
    await setLogo(deps.actor, { clientId, field: logoField(scheme), file, url }, deps);
    return readBranding(clientId, deps);
  },
});

/** Returns the bytes of a picture, which is text in JSON. */
function readPicture(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  const text = typeof value === 'string' ? value.replaceAll(/\s/g, '') : '';
  return /^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

export const removeLogoOperation = operation({
  ...{ id: 'removeLogo', method: 'delete', path: LOGO_PATH, group: GROUP },
  ...{ summary: 'Remove a logo of an application', permission: 'application.change' },
  errors: [SETTINGS.changed_meanwhile],
  ...{ pathFields: LOGO, fields: DRY_RUN, command: 'client update', ...OUTPUT, counted: 'logos' },
  async count({ client_id: clientId, scheme }, deps) {
    const { look } = await readBranding(clientId, deps);
    return look.branding[logoField(scheme)] === undefined ? 0 : 1;
  },
  async run({ client_id: clientId, scheme }, deps) {
    await removeLogo(deps.actor, { clientId, field: logoField(scheme) }, deps);
    return readBranding(clientId, deps);
  },
});

export const BRANDING_OPERATIONS = [showBranding, updateBranding, setLogoOperation, removeLogoOperation];
