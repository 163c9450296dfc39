/** The document around every Connect page: its one style, its one script, and the choices at its foot. */
import { readFileSync } from 'node:fs';

import type { Theme } from '../../branding/branding.ts';
import { type Html, html } from '../../http/html.ts';
import { type InlineCode, inlineScript, inlineStyle, type Page, pageOf } from '../../http/page.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import type { PageName } from '../flow/paths.ts';
import { LANGUAGES, type MessageKey, type Messages, nativeName } from '../messages/messages.ts';
import type { Appearance } from './appearance.ts';
import { formFields } from './parts.page.ts';
import { PAGE_ICON, SIGNS } from './provider-marks.ts';

const readText = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

const STYLE = inlineStyle(readText('./connect.css'));

/** It only improves: nothing needs it. Its comments stand on lines of their own, for those who read it here. */
const SCRIPT = inlineScript(
  readText('./connect.client.js')
    .replace(/^\s*\/\/.*\n/gm, '')
    .replace(/^ +/gm, ''),
);

/** The last of a page, and where its script says what was done. */
const LAST_ELEMENT = 'said';

export type PageParts = {
  /** Also what a screen reader hears first. */
  readonly title: string;
  readonly content: Html;
  /** Where its reader stands, for the choice of language and colours: none on pages nobody can come back to. */
  readonly settings?: PageSettings;
  /** Whether its script asks this server how things are. */
  readonly connects?: boolean;
  /** A script of its own in `content`. */
  readonly script?: InlineCode;
};

/** A whole page. */
export function layout(parts: PageParts, appearance: Appearance): Page {
  const { messages, theme, branding, brandRule } = appearance;
  const { title, content, settings, connects = false, script } = parts;
  const body = html`<body data-working="${messages.text('working')}">
<main>
${content}
</main>
${(settings !== undefined || !branding.hideFooter) && foot(settings, appearance)}
<p class="unseen" id="${LAST_ELEMENT}" role="status"></p>
${SCRIPT.element}
</body>`;
  return pageOf({
    language: messages.language,
    direction: messages.direction,
    theme,
    title,
    icon: PAGE_ICON,
    styles: brandRule === undefined ? [STYLE] : [STYLE, inlineStyle(brandRule)],
    scripts: script === undefined ? [SCRIPT] : [SCRIPT, script],
    body,
    drawnOnceAt: LAST_ELEMENT,
    imageSource: (branding.logo ?? branding.darkLogo) ? "data: 'self'" : 'data:',
    connects,
  });
}

function foot(settings: PageSettings | undefined, appearance: Appearance): Html {
  return html`<footer>
${settings !== undefined && pageSettings(settings, appearance)}
${!appearance.branding.hideFooter && html`<p>${appearance.messages.text('footer')}</p>`}
</footer>`;
}

/** The page that language and colours are chosen on, and that the choice leads back to. */
export type PageSettings = {
  readonly request: AuthorizationRequest;
  readonly page: PageName;
  /** The id of the page's form to be filled in: the choice of a language is sent with it, so that what was typed stays. */
  readonly form?: string;
};

const THEMES: readonly (readonly [Theme, MessageKey, Html])[] = [
  ['auto', 'settings.theme_auto', SIGNS.device],
  ['light', 'settings.theme_light', SIGNS.sun],
  ['dark', 'settings.theme_dark', SIGNS.moon],
];

/** The language always; the colours where neither request nor application decides on them. */
function pageSettings(settings: PageSettings, { messages, theme, isThemeOpen }: Appearance): Html {
  return html`<div class="settings">
${languageMenu(settings, messages)}
${isThemeOpen && themeChoice(settings, theme, messages)}
</div>`;
}

function languageMenu(settings: PageSettings, messages: Messages): Html {
  const { form } = settings;
  const inForm = form && html` form="${form}" formnovalidate`;
  const items = LANGUAGES.map((language) => {
    const isChosen = language === messages.language;
    const current = isChosen ? html` aria-current="true"` : undefined;
    return html`<li><button name="language" value="${language}" lang="${language}"${current}${inForm}>${nativeName(language)}${isChosen && SIGNS.tick}</button></li>
`;
  });
  const list = html`<ul>
${items}</ul>`;
  return html`<details class="menu"><summary>${SIGNS.globe}<span class="unseen">${messages.text('settings.language')}: </span><span>${nativeName(messages.language)}</span>${SIGNS.unfold}</summary>
${form ? list : html`<form method="post" action="/connect/language">${placeFields(settings)}${list}</form>`}</details>`;
}

function themeChoice(settings: PageSettings, chosen: Theme, messages: Messages): Html {
  const buttons = THEMES.map(([theme, message, sign]) => {
    const name = messages.text(message);
    const isPressed = theme === chosen ? 'true' : 'false';
    return html`<button name="theme" value="${theme}" aria-pressed="${isPressed}" aria-label="${name}" title="${name}">${sign}</button>`;
  });
  return html`<form class="themes" method="post" action="/connect/theme">${placeFields(settings)}<div role="group" aria-label="${messages.text('settings.theme')}">${buttons}</div></form>`;
}

const placeFields = ({ request, page }: PageSettings): Html =>
  html`${formFields(request)}<input type="hidden" name="page" value="${page}">`;
