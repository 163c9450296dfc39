/** What all Connect pages share: the document around them with its policy, and small parts. */
import { readFileSync } from 'node:fs';

import { type Logo, logoPath } from '../../branding/branding.ts';
import { type Html, hashSource, html, type PagePolicy, trusted } from '../../http/html.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { type AccountView, firstCharacter } from '../flow/connect-flow.ts';
import type { Messages } from '../messages/messages.ts';
import type { Appearance } from './appearance.ts';
import { SCRIPT_ELEMENT, SCRIPT_SOURCE } from './connect-script.ts';
import { ownFields } from './own-fields.page.ts';
import { type PageSettings, pageSettings } from './page-settings.page.ts';
import { PAGE_ICON, PROVIDER_MARKS, PROVIDER_NAMES, SIGNS } from './provider-marks.ts';

// Comments and blanks are for those who read it here: they are a third of it.
const STYLES = readFileSync(new URL('./connect.css', import.meta.url), 'utf8')
  .replace(/\/\*.*?\*\//gs, '')
  .replace(/\s*([{};,]|$)\s*/g, '$1')
  .replace(/:\s+/g, ':')
  .replaceAll(';}', '}');

const STYLE_SOURCE = hashSource(STYLES);

/** A whole document, and what its Content-Security-Policy must admit for it. */
export type Page = { readonly document: Html; readonly policy: Omit<PagePolicy, 'formTargets'> };

/** What a page has beside its content. */
export type PageParts = {
  /** Where its reader stands, for the choice of language and colours: none on pages nobody can come back to. */
  readonly settings?: PageSettings;
  /** Whether its script asks this server how things are. */
  readonly connects?: boolean;
};

/**
 * A whole page; `title` is also what a screen reader hears first. It is drawn once its last element is there
 * (`rel="expect"`, in browsers that know it): lines that are centred would move as the rest of them arrives.
 */
export function layout(look: Appearance, title: string, content: Html, parts: PageParts = {}): Page {
  const { messages, theme, branding, brandRule } = look;
  const { settings, connects = false } = parts;
  const document = html`<html lang="${messages.language}" dir="${messages.direction}" data-theme="${theme}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="${PAGE_ICON}">
<link rel="expect" href="#said" blocking="render">
<style>${trusted(STYLES)}</style>
${brandRule !== undefined && html`<style>${trusted(brandRule)}</style>`}
</head>
<body data-working="${messages.text('working')}">
<main>
${content}
</main>
${(settings !== undefined || !branding.hideFooter) && foot(settings, look)}
<p class="unseen" id="said" role="status"></p>
${SCRIPT_ELEMENT}
</body>
</html>
`;
  const hasLogo = branding.logo !== undefined || branding.darkLogo !== undefined;
  const imageSource = hasLogo ? "data: 'self'" : 'data:';
  const styleSource = brandRule === undefined ? STYLE_SOURCE : `${STYLE_SOURCE} ${hashSource(brandRule)}`;
  return { document, policy: { styleSource, scriptSource: SCRIPT_SOURCE, imageSource, connects } };
}

function foot(settings: PageSettings | undefined, look: Appearance): Html {
  return html`<footer>
${settings !== undefined && pageSettings(settings, look)}
${!look.branding.hideFooter && html`<p>${look.messages.text('footer')}</p>`}
</footer>`;
}

/** The application's name as text: its display name, else generic words (requirement §1). */
export function applicationName(displayName: string | undefined, messages: Messages): string {
  return displayName ?? messages.text('app.generic');
}

/** Application and Kalends side by side; words beside it say the same. */
export function meeting(look: Appearance): Html {
  return pageSigns(html`${applicationSign(look)}
<span class="between">${SIGNS.between}</span>
<span class="sign ours">${SIGNS.calendar}</span>`);
}

/** What a page shows above its title; words beside it say the same. */
export const pageSigns = (signs: Html): Html => html`<div class="meeting" aria-hidden="true">${signs}</div>`;

/** A sign with a mark that says how it went. */
export function markedSign(sign: Html, mark: 'done' | 'trouble'): Html {
  return html`<span class="marked">${sign}<span class="badge ${mark}">${SIGNS[mark]}</span></span>`;
}

/** The application's logo, else the first character of its name, else a sign for any application. */
export function applicationSign({ branding, displayName, theme }: Appearance): Html {
  const light = branding.logo ?? branding.darkLogo;
  const dark = branding.darkLogo ?? branding.logo;
  if (light !== undefined && dark !== undefined) {
    const plate = light.hash === dark.hash ? ' plate' : '';
    return html`<span class="sign logo${plate}">${logoPicture(light, dark, theme)}</span>`;
  }
  // What stands for a name is a letter of it, not the mark before it.
  const initial = firstCharacter((displayName ?? '').replace(/^[\p{P}\p{Sm}\p{Z}\p{C}]+/u, ''));
  return html`<span class="sign">${initial === '' ? SIGNS.application : initial.toLocaleUpperCase('en')}</span>`;
}

/** The one that fits a fixed theme; else both, and the device decides. The name beside it says what it shows. */
function logoPicture(light: Logo, dark: Logo, theme: Appearance['theme']): Html {
  const image = (logo: Logo) => html`<img src="${logoPath(logo)}" width="56" height="56" alt="">`;
  if (light.hash === dark.hash || theme === 'light') return image(light);
  if (theme === 'dark') return image(dark);
  return html`<picture><source srcset="${logoPath(dark)}" media="(prefers-color-scheme: dark)">${image(light)}</picture>`;
}

/** Says what was done (politely) or what went wrong (at once); reading and tabbing begin at one that is focused. */
export function notice(kind: 'done' | 'trouble', text: Html, isFocused = false): Html {
  const focus = isFocused && html` tabindex="-1" autofocus aria-labelledby="notice"`;
  return kind === 'done'
    ? html`<div class="notice" role="status"${focus}>${SIGNS.done}<div id="notice">${text}</div></div>`
    : html`<div class="notice bad" role="alert"${focus}>${SIGNS.trouble}<div id="notice">${text}</div></div>`;
}

/** A link to a page that is not ours, in a window of its own: what was typed here and the way on stay. */
export const outwardLink = (href: string, words: Html): Html =>
  html`<a href="${href}" target="_blank" rel="noopener noreferrer">${words}</a>`;

/** The way back to the page before. */
export function backLink(path: string, messages: Messages): Html {
  return html`<a class="back" href="${path}">${SIGNS.back}${messages.text('back')}</a>`;
}

/** The button that gives up, on the pages where that is a decision. */
export function cancelForm(request: AuthorizationRequest, messages: Messages): Html {
  return html`<form method="post" action="/connect/cancel">${ownFields(request)}<button>${messages.text('cancel')}</button></form>`;
}

/** "Back to <Display Name>" (wire 4.1), in generic words without a name. */
export function returnLabel({ displayName, messages }: Appearance): Html {
  return displayName === undefined
    ? html`${messages.text('return.generic')}`
    : html`<span>${messages.markup('return.named', { app: displayName })}</span>`;
}

/** Accounts to read, each with its kind: nothing is done with them here. */
export function accountNames(accounts: readonly AccountView[], labelledBy?: string): Html {
  const items = accounts.map(
    ({ provider, name }) =>
      html`<li>${PROVIDER_MARKS[provider]}<span><bdi>${brokenNicely(name)}</bdi> <span class="kind">${PROVIDER_NAMES[provider]}</span></span></li>`,
  );
  return html`<ul class="names"${labelledBy !== undefined && html` aria-labelledby="${labelledBy}"`}>${items}</ul>`;
}

/** A mail or web address that may go on in the next line where it is read in parts: behind `@`, dots and slashes. */
export function brokenNicely(address: string): Html {
  const parts = address.split(/(?<=[@./])/);
  return html`${parts.map((part, index) => (index === 0 ? part : html`<wbr>${part}`))}`;
}
