/** The choice of language and colours at a page's foot. */
import type { Theme } from '../../branding/branding.ts';
import { type Html, html } from '../../http/html.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import type { PageName } from '../flow/paths.ts';
import { LANGUAGES, type MessageKey, type Messages, ownLanguageName } from '../messages/messages.ts';
import type { Appearance } from './appearance.ts';
import { ownFields } from './own-fields.page.ts';
import { SIGNS } from './provider-marks.ts';

/** The page a choice is made on, and leads back to. */
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
export function pageSettings(settings: PageSettings, { messages, theme, isThemeOpen }: Appearance): Html {
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
    return html`<li><button name="language" value="${language}" lang="${language}"${current}${inForm}>${ownLanguageName(language)}${isChosen && SIGNS.tick}</button></li>
`;
  });
  const list = html`<ul>
${items}</ul>`;
  return html`<details class="menu"><summary>${SIGNS.globe}<span class="unseen">${messages.text('settings.language')}: </span><span>${ownLanguageName(messages.language)}</span>${SIGNS.unfold}</summary>
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
  html`${ownFields(request)}<input type="hidden" name="page" value="${page}">`;
