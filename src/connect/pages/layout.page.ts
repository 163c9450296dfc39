/** The document around every Connect page: style, script, and the settings in the footer. */
import { readFileSync } from 'node:fs';
import type { Theme } from '../../branding/branding.ts';
import { BASE_STYLE, dense, ICONS, PAGE_ICON, readScript, SIGN_STYLE } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import { buildPage, type InlineCode, inlineScript, inlineStyle, type Page } from '../../http/page.ts';
import type { QueryParameter } from '../../http/received-query.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { pathOfTransaction } from '../flow/paths.ts';
import { LANGUAGES, type MessageKey, type Messages, nativeName } from '../messages/messages.ts';
import type { Appearance } from './appearance.ts';
import { formFields } from './parts.page.ts';

const STYLE = inlineStyle(
  dense(BASE_STYLE + SIGN_STYLE + readFileSync(new URL('./connect.css', import.meta.url), 'utf8')),
);

/** Every page works without it. */
const SCRIPT = inlineScript(readScript(new URL('./connect.client.js', import.meta.url)));

/** The last element of a page, in which the script announces changes. */
const LAST_ELEMENT = 'said';

const SECONDS_BETWEEN_LOADS = 5;

export type PageParts = {
  /** Screen readers read it first. */
  readonly title: string;
  readonly content: Html;
  /** The settings for language and color scheme. Pages that cannot be opened again have none. */
  readonly settings?: PageSettings | undefined;
  readonly connects?: boolean;
  readonly script?: InlineCode;
  /** The path to which the page continues after SECONDS_BETWEEN_LOADS. */
  readonly goesOnTo?: string;
};

export function layout(parts: PageParts, appearance: Appearance): Page {
  const { messages, theme, branding, brandRule, isPreview = false } = appearance;
  const { title, content, settings, connects = false, script, goesOnTo } = parts;
  const again = goesOnTo && html` data-goes-on="${goesOnTo}" data-seconds="${SECONDS_BETWEEN_LOADS}"`;
  const scripts = script === undefined ? [SCRIPT] : [SCRIPT, script];
  const body = html`<body${isPreview && html` inert`} data-working="${messages.text('working')}"${again}>
<main>
${content}
</main>
${(settings !== undefined || !branding.hideFooter) && foot(settings, appearance)}
<p class="unseen" id="${LAST_ELEMENT}" role="status"></p>
${!isPreview && SCRIPT.element}
</body>`;
  return buildPage({
    language: messages.language,
    direction: messages.direction,
    theme,
    title,
    icon: PAGE_ICON,
    styles: brandRule === undefined ? [STYLE] : [STYLE, inlineStyle(brandRule)],
    scripts: isPreview ? [] : scripts,
    body,
    drawnOnceAt: LAST_ELEMENT,
    goesOn: goesOnTo === undefined ? undefined : { path: goesOnTo, seconds: SECONDS_BETWEEN_LOADS },
    imageSource: (branding.logo ?? branding.darkLogo) ? "data: 'self'" : 'data:',
    connects: connects && !isPreview,
    isPreview,
  });
}

function foot(settings: PageSettings | undefined, appearance: Appearance): Html {
  const { branding, messages, serviceName: service } = appearance;
  return html`<footer>
${settings !== undefined && pageSettings(settings, appearance)}
${!branding.hideFooter && html`<p>${messages.markup('footer', { service })}</p>`}
</footer>`;
}

export type PageSettings = OfRequest | OfAddress;

/** A page of an open request, which stores the language. */
type OfRequest = {
  readonly request: AuthorizationRequest;
  readonly path: string;
  /** The id of the page's form. The settings submit it, so that typed values stay. */
  readonly form?: string;
};

/** A page without a request, shown in another language at the same address. */
type OfAddress = {
  readonly request?: undefined;
  readonly path: string;
  /** The path without the query. */
  readonly place: string;
  /** The query, without the language. */
  readonly query: readonly Pick<QueryParameter, 'name' | 'value'>[];
  readonly parameter: string;
};

const THEMES: readonly (readonly [Theme, MessageKey, Html])[] = [
  ['auto', 'settings.theme_auto', ICONS.device],
  ['light', 'settings.theme_light', ICONS.sun],
  ['dark', 'settings.theme_dark', ICONS.moon],
];

/** Renders the language, and the color scheme if neither request nor application sets it. */
export function pageSettings(settings: PageSettings, { messages, theme, isThemeOpen }: Appearance): Html {
  return html`<div class="settings">
${languageMenu(settings, messages)}
${isThemeOpen && themeChoice(settings, theme, messages)}
</div>`;
}

function languageMenu(settings: PageSettings, messages: Messages): Html {
  const name = settings.request ? 'language' : settings.parameter;
  const inForm = formAttributes(settings);
  const items = LANGUAGES.map((language) => {
    const isChosen = language === messages.language;
    const current = isChosen ? html` aria-current="true"` : undefined;
    return html`<li><button name="${name}" value="${language}" lang="${language}"${current}${inForm}>${nativeName(language)}${isChosen && ICONS.tick}</button></li>
`;
  });
  const list = html`<ul>
${items}</ul>`;
  return html`<details class="menu"><summary>${ICONS.globe}<span class="unseen">${messages.text('settings.language')}: </span><span>${nativeName(messages.language)}</span>${ICONS.unfold}</summary>
${inForm ? list : languageForm(settings, list)}</details>`;
}

function languageForm(settings: PageSettings, list: Html): Html {
  if (settings.request)
    return html`<form method="post" action="/connect/language">${formFields(settings.request)}${backField(settings)}${list}</form>`;
  const fields = settings.query.map(
    ({ name, value }) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="get" action="${settings.place}">${fields}${list}</form>`;
}

function themeChoice(settings: PageSettings, chosen: Theme, messages: Messages): Html {
  const inForm = formAttributes(settings);
  const buttons = THEMES.map(([theme, message, sign]) => {
    const name = messages.text(message);
    const isPressed = theme === chosen ? 'true' : 'false';
    return html`<button name="theme" value="${theme}" aria-pressed="${isPressed}" aria-label="${name}" title="${name}"${inForm}>${sign}</button>`;
  });
  const group = html`<div class="themes" role="group" aria-label="${messages.text('settings.theme')}">${buttons}</div>`;
  return inForm
    ? group
    : html`<form method="post" action="/connect/theme">${backField(settings)}${group}</form>`;
}

/** Submits the page's own form, which is shown again in the other language or color scheme. */
const formAttributes = (settings: PageSettings): Html | undefined =>
  settings.request && settings.form ? html` form="${settings.form}" formnovalidate` : undefined;

/** The longest path that a form contains. Longer valid paths would be too long when encoded again. */
export const MOST_PATH_IN_FORM = 4_000;

/** Returns to the page or, if its path is too long, to the first page of the request. */
function backField({ path, request }: PageSettings): Html {
  const isLong = request !== undefined && path.length > MOST_PATH_IN_FORM;
  const back = isLong ? pathOfTransaction(request) : path;
  return html`<input type="hidden" name="back" value="${back}">`;
}
