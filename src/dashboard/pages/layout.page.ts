/** The document around every page of the dashboard: style, script and menu. */
import { readFileSync } from 'node:fs';

import type { Theme } from '../../branding/branding.ts';
import { type IconName, icon, iconImage, iconSymbols } from '../../design/icon.page.ts';
import {
  BASE_STYLE,
  COPY_SCRIPT,
  dense,
  PAGE_ICON,
  readScript,
  SIGN_STYLE,
} from '../../design/parts.page.ts';
import { Html, html } from '../../http/html.ts';
import { buildPage, type InlineCode, inlineScript, inlineStyle, type Page } from '../../http/page.ts';
import { tokenField } from '../../http/page-form.ts';
import { mayRole, type Permission } from '../../people/permission.ts';
import type { Person } from '../../people/person.ts';
import { type DashboardMessageKey, dashboardMessages as messages } from '../messages/messages.ts';
import { STATE_ICONS } from './filter-form.page.ts';
import { TIME_SCRIPT, withRelativeTimes } from './times.page.ts';
import { visibleText } from './visible-text.ts';

const readText = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

const STYLE = inlineStyle(dense(BASE_STYLE + readText('./dashboard.css')));
const furtherStyle = (element: RegExp, css: string) => ({ element, style: inlineStyle(dense(css)) });

const STATE_STYLE = Object.entries(STATE_ICONS).map(
  ([kind, name]) => `.state.${kind} { --icon: ${iconImage(name)} }`,
);

/** Styles of the pages that contain the element. */
const FURTHER_STYLES = [
  furtherStyle(
    /<(?:fieldset|pre)|class="(?:copyable|empty|facts|gone|note|notice before-form|panel|waiting|wrong)/,
    readText('./panels.css'),
  ),
  furtherStyle(/class="state /, STATE_STYLE.join('')),
  furtherStyle(/class="(?:filters|popover)/, readText('./lists.css')),
  furtherStyle(/class="(?:chart|sparkline)/, readText('../../design/charts.css')),
  furtherStyle(/class="(?:tiles|charts|share|panel first-steps)/, readText('./overview.css')),
  furtherStyle(/class="(?:panes|card|problem|danger)/, readText('./panes.css')),
  furtherStyle(/class="(?:anything|ailing|beside)/, readText('./user.css')),
  furtherStyle(/class="code"><pre/, readText('../../design/code.css')),
  furtherStyle(
    /class="(?:answer|changes|code-of|copy-row|filter"|levels|panel once|picks?|registration|requirements|sessions|signatures|steps|tabs|views|with-mark)/,
    readText('./details.css'),
  ),
  furtherStyle(/class="sign/, SIGN_STYLE),
  furtherStyle(/class="playground/, readText('./playground.css')),
  furtherStyle(/class="branding/, readText('./branding.css')),
  furtherStyle(/<body class="door/, readText('./door.css')),
];
const COPY = inlineScript(COPY_SCRIPT);
const SCRIPT = inlineScript(TIME_SCRIPT + readScript(new URL('./dashboard.client.js', import.meta.url)));
const PASSKEYS = inlineScript(readScript(new URL('./passkeys.client.js', import.meta.url)));

/** Maximum characters of a title. Names of members and applications are shorter. */
const MOST_TITLE = 300;

/** The id of the page's last element, in which the script reports what was done. */
const LAST_ELEMENT = 'said';

type MenuItem = readonly [path: string, name: DashboardMessageKey, icon: IconName, needs: Permission];

const ACCOUNT = '/dashboard/account';

/** The pages of the menu by group, each with the permission it needs. The first group has no heading. */
const MENU: readonly (readonly [heading: DashboardMessageKey | undefined, items: readonly MenuItem[]])[] = [
  [undefined, [['/dashboard', 'nav.overview', 'home', 'overview.read']]],
  [
    'nav.build',
    [
      ['/dashboard/applications', 'nav.applications', 'apps', 'application.list'],
      ['/dashboard/playground', 'nav.playground', 'terminal', 'playground.open'],
    ],
  ],
  [
    'nav.monitor',
    [
      ['/dashboard/connections', 'nav.connections', 'plug', 'user.list'],
      ['/dashboard/users', 'nav.users', 'people', 'user.list'],
      ['/dashboard/deliveries', 'nav.deliveries', 'webhook', 'delivery.list'],
      ['/dashboard/requests', 'nav.requests', 'log', 'request.list'],
    ],
  ],
  [
    'nav.admin',
    [
      ['/dashboard/system', 'nav.system', 'server', 'system.read'],
      ['/dashboard/people', 'nav.people', 'organization', 'people.manage'],
      ['/dashboard/audit', 'nav.audit', 'history', 'audit.read'],
    ],
  ],
];

/** Returns the menu's page for an open path, by prefix. The overview has no pages below it. */
function findMenuPath(open: string): string {
  if (open === '/dashboard/reviews') return '/dashboard/applications';
  if (open === '/dashboard/endpoints') return '/dashboard';
  if (/^\/dashboard\/applications\/[^/]+\/user(?:\/|$)/.test(open)) return '/dashboard/users';
  const paths = MENU.flatMap(([, items]) => items.map(([path]) => path));
  const isBelow = (path: string) => path !== '/dashboard' && open.startsWith(`${path}/`);
  return [...paths, ACCOUNT].find((path) => open === path || isBelow(path)) ?? '';
}

/** The member who reads the page, and its path. */
export type Viewer = {
  readonly person: Person;
  readonly path: string;
  readonly theme: Theme;
  /** The time that relative times are counted from, in epoch milliseconds. */
  readonly now: number;
  /** Returns the token for a form of this session that is sent to `path`. */
  readonly formToken: (path: string) => string;
};

export type DashboardPage = {
  readonly title: string;
  readonly content: Html;
  /** Whether the page creates or requests passkeys. Its script then sends requests to this origin. */
  readonly usesPasskeys?: boolean;
  /** Whether the page shows pages of this origin in frames. */
  readonly hasFrames?: boolean;
  /** Whether the script reloads the list periodically for new entries. */
  readonly isLive?: boolean;
  /** A script beside the one that all pages have. */
  readonly script?: InlineCode;
  /** The address to which the page redirects at once. */
  readonly goesOnTo?: string;
};

export function dashboardPage(page: DashboardPage, viewer: Viewer): Page {
  const { content, style } = withTableStyles(page.content);
  const { theme } = viewer;
  const visible = html`<a class="skip" href="#content">${messages.text('skip')}</a>
<header class="side">
${brand()}
${menu(viewer)}
</header>
<main id="content">
${withRelativeTimes(content, viewer.now)}
</main>`;
  const body = html`<body>
${visible}
${iconSymbols(visible)}
${ending(page)}
</body>`;
  return renderDocument({ ...page, theme, body, style });
}

/** Returns the page with a class for each kind of table, and the styles of their columns. */
function withTableStyles({ markup }: Html): { readonly content: Html; readonly style: string } {
  const kinds: string[] = [];
  const table = /<table (aria-label="[^"]*"><thead><tr>(.*?)<\/tr>)/gs;
  const content = markup.replace(table, (_, start: string, heads: string) => {
    if (!kinds.includes(heads)) kinds.push(heads);
    return `<table class="t${kinds.indexOf(heads)}" ${start}`;
  });
  return { content: new Html(content), style: kinds.map(columnStyle).join('') };
}

/** On a phone a cell shows its column's head: a text of the catalog, or markup above buttons, which is not repeated. */
function columnStyle(heads: string, kind: number): string {
  const table = `.t${kind}`;
  const headers = heads.matchAll(/<th scope="col"(?: class="([^"]*)")?>(.*?)<\/th>/g);
  const columns = Array.from(headers, ([, kinds = '', head = ''], index) => ({
    ...{ kinds, head, cell: `:nth-child(${index + 1})` },
  }));
  const numbers = columns.filter(({ kinds }) => kinds.includes('number'));
  const onPhone = columns.slice(1).map(({ kinds, head, cell }) => {
    if (kinds.includes('detail')) return `${table} td${cell}{display:none}`;
    return head.includes('<') ? '' : `${table} td${cell}::before{content:"${head}"/""}`;
  });
  return `@media (min-width:40.01rem){${numbers.map(({ cell }) => `${table} tr>${cell}{text-align:end}`).join('')}}
@media (max-width:40rem){${onPhone.join('')}}`;
}

/** Renders the menu. On a narrow screen it is a popover, which needs no script. */
function menu(viewer: Viewer): Html {
  const { person, path: shown } = viewer;
  const open = findMenuPath(shown);
  const groups = MENU.map(([heading, items]) => {
    const visible = items.filter(([, , , needs]) => mayRole(person.role, needs));
    const list = html`<ul${heading !== undefined && html` aria-labelledby="${heading}"`}>
${visible.map(
  ([
    path,
    name,
    iconName,
  ]) => html`<li><a href="${path}"${path === open && html` aria-current="page"`}>${icon(iconName)}${messages.text(name)}</a></li>
`,
)}</ul>`;
    return (
      visible.length > 0 &&
      html`${heading !== undefined && html`<p id="${heading}">${messages.text(heading)}</p>`}${list}`
    );
  });
  const [initial] = new Intl.Segmenter(messages.language).segment(person.name);
  const avatar = html`<span class="avatar" aria-hidden="true">${initial?.segment}</span>`;
  return html`<button type="button" class="small unfold" popovertarget="menu">${messages.text('menu')}${icon('chevron-down')}</button>
<div class="menu" id="menu" popover>
<nav aria-label="${messages.text('menu.label')}">
${groups}</nav>
<div class="who"><a href="${ACCOUNT}" ${open === ACCOUNT && html` aria-current="page"`}>${avatar}<span><span class="unseen">${messages.text('nav.account')}: </span><bdi>${person.name}</bdi>
<small>${messages.text(`role.${person.role}`)}</small></span></a>
<div class="who-actions">${themeChoice(viewer)}
${postForm(viewer, '/dashboard/sign-out', html`<button class="small quiet">${icon('sign-out')}${messages.text('sign_out')}</button>`)}</div></div>
</div>`;
}

/** Renders a page without the menu, such as sign-in, setup or an error. */
export function doorPage(page: DashboardPage, theme: Theme): Page {
  const { title, content } = page;
  const body = html`<body class="door">
<main id="content">
${brand()}
<h1>${title}</h1>
${content}
</main>
${iconSymbols(content)}
${ending(page)}
</body>`;
  return renderDocument({ ...page, theme, body });
}

type Document = DashboardPage & {
  readonly theme: Theme;
  readonly body: Html;
  /** The style of its tables. */
  readonly style?: string;
};

function renderDocument({ title, theme, goesOnTo, style, ...page }: Document): Page {
  const { usesPasskeys = false, hasFrames = false, isLive = false } = page;
  return buildPage({
    language: messages.language,
    direction: messages.direction,
    theme,
    title: `${visibleText(title, MOST_TITLE)} – ${messages.text('product')}`,
    icon: PAGE_ICON,
    styles: [
      STYLE,
      ...FURTHER_STYLES.filter(({ element }) => element.test(page.body.markup)).map((one) => one.style),
      ...(style ? [inlineStyle(style)] : []),
    ],
    scripts: listScripts(page),
    connects: usesPasskeys || isLive,
    hasFrames,
    goesOn: goesOnTo === undefined ? undefined : { path: goesOnTo, seconds: 0 },
    body: page.body,
    drawnOnceAt: LAST_ELEMENT,
    imageSource: "data: 'self'",
  });
}

const brand = (): Html =>
  html`<a class="brand" href="/dashboard"><img src="${PAGE_ICON}" alt="" width="28" height="28">${messages.text('product')}</a>`;

type Scripts = Pick<DashboardPage, 'usesPasskeys' | 'script' | 'content'>;

const listScripts = ({ usesPasskeys, script, content }: Scripts): InlineCode[] => [
  SCRIPT,
  ...(content.markup.includes(' data-copy=') ? [COPY] : []),
  ...(usesPasskeys ? [PASSKEYS] : []),
  ...(script === undefined ? [] : [script]),
];

const ending = (page: Scripts): Html => html`<p class="unseen" id="${LAST_ELEMENT}" role="status"></p>
${listScripts(page).map(({ element }) => element)}`;

const THEMES: readonly (readonly [Theme, DashboardMessageKey, Html])[] = [
  ['auto', 'theme.auto', icon('device-desktop')],
  ['light', 'theme.light', icon('sun')],
  ['dark', 'theme.dark', icon('moon')],
];

function themeChoice({ theme, path }: Viewer): Html {
  const buttons = THEMES.map(([one, message, sign]) => {
    const name = messages.text(message);
    return html`<button name="theme" value="${one}" aria-pressed="${one === theme ? 'true' : 'false'}" aria-label="${name}" title="${name}">${sign}</button>`;
  });
  return html`<form method="post" action="/dashboard/theme"><input type="hidden" name="back" value="${path}">
<div class="themes" role="group" aria-label="${messages.text('theme')}">${buttons}</div></form>`;
}

/** Renders a form that is sent to `path`, with the session's token. */
export function postForm({ formToken }: Pick<Viewer, 'formToken'>, path: string, content: Html): Html {
  return html`<form method="post" action="${path}">${tokenField(formToken(path))}${content}</form>`;
}
