/** The document around every Connect page: its one style, its one script, and the choices at its foot. */
import { readFileSync } from 'node:fs';
import { PAGE_ICON } from '../../design/signs.ts';
import { BASE_STYLE } from '../../design/styles.ts';
import { type Html, html } from '../../http/html.ts';
import { type InlineCode, inlineScript, inlineStyle, type Page, pageOf } from '../../http/page.ts';
import type { Appearance } from './appearance.ts';
import { type PageSettings, pageSettings } from './page-settings.page.ts';

const readText = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

const STYLE = inlineStyle(BASE_STYLE + readText('./connect.css'));

/** It only improves: nothing needs it. Its comments stand on lines of their own, for those who read it here. */
const SCRIPT = inlineScript(
  readText('./connect.client.js')
    .replace(/^\s*\/\/.*\n/gm, '')
    .replace(/^ +/gm, ''),
);

/** The last of a page, and where its script says what was done. */
const LAST_ELEMENT = 'said';

/** After so long a page that waits for something asks again. */
const SECONDS_BETWEEN_LOADS = 5;

export type PageParts = {
  /** Also what a screen reader hears first. */
  readonly title: string;
  readonly content: Html;
  /** Where its reader stands, for the choice of language and colours: none on pages nobody can come back to. */
  readonly settings?: PageSettings | undefined;
  /** Whether its script asks this server how things are. */
  readonly connects?: boolean;
  /** A script of its own in `content`. */
  readonly script?: InlineCode;
  /** Where it goes on by itself, a few seconds later; a path of ours. */
  readonly goesOnTo?: string;
};

/** A whole page. */
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
  return pageOf({
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
