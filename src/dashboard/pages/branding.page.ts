/** The branding tab: forms for colors and logos, and the preview beside them. */
import { type Branding, type Logo, logoPath, THEMES } from '../../branding/branding.ts';
import { LANGUAGES, nativeName } from '../../connect/messages/messages.ts';
import { type Html, html } from '../../http/html.ts';
import { tokenField } from '../../http/page-form.ts';
import type { Client } from '../../oauth/client.ts';
import { may } from '../../people/permission.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath } from './applications.page.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { choice } from './parts.page.ts';
import { PREVIEW_PAGES, type PreviewWish, previewQuery } from './preview.page.ts';

export const BRANDING_TAB = '/branding';

export type BrandingTyped = {
  readonly look?: PreviewWish['draft'];
  readonly urls?: Readonly<Partial<Record<'logo' | 'darkLogo', string>>>;
  readonly problems?: Readonly<Partial<Record<'primaryColor' | 'logo' | 'darkLogo', string>>>;
};

export type BrandingParts = {
  readonly client: Client;
  readonly branding: Branding;
  /** Whether users still see approved values that differ from the stored ones. */
  readonly hasOther: boolean;
  readonly wish: PreviewWish;
  readonly typed: BrandingTyped;
};

/** The id of the form whose fields are in two places: the branding and the preview options. */
const FORM = 'look';

export const BRANDING_DONE = {
  look: 'saved',
  logo: 'branding.logo.set',
  removed: 'branding.logo.removed',
} as const;

export function brandingContent(parts: BrandingParts, viewer: Viewer): Html {
  const { client } = parts;
  const mayChange = may(viewer.person, 'application.change', client.clientId);
  const path = `${applicationPath(client.clientId)}${BRANDING_TAB}`;
  return html`<div class="branding"><div>
${lookForm(parts, { viewer, path, mayChange })}
${logoPanel('logo', parts, { viewer, path, mayChange })}
${logoPanel('darkLogo', parts, { viewer, path, mayChange })}</div>
${preview(parts)}</div>`;
}

type FormPlace = { readonly viewer: Viewer; readonly path: string; readonly mayChange: boolean };

/** Renders the form. GET only previews. Only the save button posts, and it alone carries the token. */
function lookForm({ branding, typed }: BrandingParts, { viewer, path, mayChange }: FormPlace): Html {
  const { enabled, primaryColor = '', theme, hideFooter } = typed.look ?? branding;
  const problem = typed.problems?.primaryColor;
  const described = ['primary_color-hint', ...(problem === undefined ? [] : ['primary_color-wrong'])].join(
    ' ',
  );
  const picks = [pick('enabled', enabled), pick('footer', !hideFooter)];
  const themes = THEMES.map((one) =>
    choice(
      { type: 'radio', name: 'theme', value: one, isPicked: one === theme },
      messages.text(`branding.theme.${one}`),
    ),
  );
  const fields = html`<div class="fields"><div><label for="primary_color">${messages.text('branding.primary_color')}</label>
<div class="with-swatch">${swatch(primaryColor)}<input id="primary_color" name="primary_color" value="${primaryColor}" maxlength="20" spellcheck="false" autocomplete="off" placeholder="#1f4fd8" aria-describedby="${described}"${problem !== undefined && html` autofocus aria-invalid="true"`}></div>
<p class="hint" id="primary_color-hint">${messages.text('branding.primary_color.hint')}</p>${problem !== undefined && html`<p class="wrong" role="alert" id="primary_color-wrong">${problem}</p>`}</div>
<fieldset><legend>${messages.text('branding.theme')}</legend>${themes}</fieldset><div>${picks}</div></div>`;
  if (!mayChange)
    return html`<form id="${FORM}" method="get" action="${path}#preview"></form><section class="panel"><h2>${messages.text('branding.look')}</h2><fieldset class="read-only" disabled>${fields}</fieldset></section>`;
  return html`<section class="panel"><h2>${messages.text('branding.look')}</h2>
<form id="${FORM}" method="get" action="${path}#preview"><input type="hidden" name="draft" value="yes">${fields}
<div class="buttons"><button class="primary" formmethod="post" formaction="${path}" name="token" value="${viewer.formToken(path)}">${messages.text('save')}</button>
<button>${messages.text('branding.try')}</button></div></form></section>`;
}

const pick = (name: 'enabled' | 'footer', isPicked: boolean): Html =>
  choice(
    { type: 'checkbox', name, value: 'yes', isPicked },
    messages.text(`branding.${name}`),
    messages.text(`branding.${name}.about`),
  );

/** Renders a patch of the color, without fill if the color is invalid. */
const swatch = (color: string): Html =>
  html`<svg class="swatch" width="28" height="28" viewBox="0 0 28 28" aria-hidden="true" focusable="false"><rect width="28" height="28" rx="6" fill="${/^#(?:[\da-f]{3}|[\da-f]{6})$/i.test(color) ? color : 'none'}"/></svg>`;

const LOGO_PATHS = { logo: 'logo', darkLogo: 'dark-logo' } as const;
const LOGO_WORDS = { logo: 'branding.logo', darkLogo: 'branding.dark_logo' } as const;

function logoPanel(
  field: 'logo' | 'darkLogo',
  { branding, typed }: BrandingParts,
  { viewer, path, mayChange }: FormPlace,
): Html {
  const logo = branding[field];
  const name = LOGO_PATHS[field];
  const to = `${path}/${name}`;
  const problem = typed.problems?.[field];
  const described = [`${name}-hint`, ...(problem === undefined ? [] : [`${name}-wrong`])].join(' ');
  const invalid = problem !== undefined && html` aria-invalid="true"`;
  const form = html`<form method="post" enctype="multipart/form-data" action="${to}">${tokenField(viewer.formToken(to))}
<div class="fields"><div><label for="${name}-file">${messages.text('branding.logo.file')}</label>
<input id="${name}-file" name="file" type="file" accept="image/png,image/jpeg,image/webp,image/svg+xml" aria-describedby="${described}"${problem !== undefined && html` autofocus`}${invalid}></div>
<div><label for="${name}-url">${messages.text('branding.logo.url')}</label>
<input id="${name}-url" name="url" type="url" maxlength="2048" value="${typed.urls?.[field] ?? ''}" autocomplete="off" placeholder="https://" aria-describedby="${described}"${invalid}>
<p class="hint" id="${name}-hint">${messages.text('branding.logo.hint')}</p>${problem !== undefined && html`<p class="wrong" role="alert" id="${name}-wrong">${problem}</p>`}</div></div>
<div class="buttons"><button>${messages.text(logo === undefined ? 'branding.logo.do' : 'branding.logo.replace')}</button></div></form>`;
  const remove =
    logo !== undefined &&
    postForm(
      viewer,
      `${to}/remove`,
      html`<button class="small quiet">${messages.text('branding.logo.remove')}</button>`,
    );
  return html`<section class="panel" id="${name}"><h2>${messages.text(LOGO_WORDS[field])}</h2><p class="lead">${messages.text(`${LOGO_WORDS[field]}.about`)}</p>
<div class="logo-now">${shownLogo(logo, field)}${mayChange && remove}</div>
${mayChange && form}</section>`;
}

const shownLogo = (logo: Logo | undefined, field: 'logo' | 'darkLogo'): Html =>
  logo === undefined
    ? html`<span class="none">${messages.text('branding.logo.none')}</span>`
    : html`<span class="sign logo ${field === 'logo' ? 'on-light' : 'on-dark'}"><img src="${logoPath(logo)}" width="56" height="56" alt="${messages.text('branding.logo.alt')}"></span>`;

function preview({ client, hasOther, wish }: BrandingParts): Html {
  const select = (name: keyof PreviewWish, options: readonly (readonly [string, string])[]) =>
    html`<label>${messages.text(`preview.${name}` as 'preview.page')}<select name="${name}" form="${FORM}">${options.map(([value, label]) => html`<option value="${value}"${value === wish[name] && html` selected`}>${label}</option>`)}</select></label>`; // each has its word
  const pages = PREVIEW_PAGES.map((page) => [page, messages.text(`preview.page.${page}`)] as const);
  const languages = LANGUAGES.map((language) => [language, nativeName(language)] as const);
  const schemes = (['light', 'dark'] as const).map(
    (one) => [one, messages.text(`preview.scheme.${one}`)] as const,
  );
  const widths = (['phone', 'desktop'] as const).map(
    (one) => [one, messages.text(`preview.width.${one}`)] as const,
  );
  const values = (['set', 'seen'] as const).map(
    (one) => [one, messages.text(`preview.values.${one}`)] as const,
  );
  const source = `/dashboard/preview/${encodeURIComponent(client.clientId)}?${previewQuery(wish)}`;
  return html`<section class="preview" id="preview" aria-labelledby="preview-title"><h2 class="preview-title" id="preview-title">${messages.text('preview.title')}</h2>
<div class="filter">${select('page', pages)}${select('language', languages)}${select('scheme', schemes)}${select('width', widths)}${hasOther && select('values', values)}
<button class="small" form="${FORM}">${messages.text('preview.show')}</button></div>
${wish.draft !== undefined && html`<p class="hint">${messages.text('preview.draft')}</p>`}
<div class="screen ${wish.width}"><iframe src="${source}" title="${messages.text('preview.frame')}" sandbox="allow-same-origin" tabindex="-1"></iframe></div>
<p class="hint">${messages.text('preview.hint')}</p></section>`;
}
