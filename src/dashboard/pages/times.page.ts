/** Renders times: relative in lists, exact in sentences, both in details. The script keeps relative times current. */
import { readScript } from '../../design/parts.page.ts';
import { Html, html } from '../../http/html.ts';
import { lazy } from '../../lib/once.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { relativeTime } from './times.client.js';

/** The function that dashboard.client.js calls. */
export const TIME_SCRIPT = readScript(new URL('./times.client.js', import.meta.url)).replace('export ', '');

const formatOf = (options: Intl.DateTimeFormatOptions) =>
  lazy(
    () => new Intl.DateTimeFormat(messages.language, { dateStyle: 'medium', timeZone: 'UTC', ...options }),
  );
const exactFormat = formatOf({ timeStyle: 'long', hourCycle: 'h23' });
const dayFormat = formatOf({});

/** Renders an instant in UTC with seconds, which the script converts to the reader's zone. `at` is in epoch milliseconds. */
export const instant = (at: number | undefined): Html => time(at, 'exact');

/** Renders an instant for a list: how long ago it was, or its day after seven days. */
export const ago = (at: number | undefined): Html => time(at, 'ago');

/** Renders an instant for details: exact, and how long ago it was. */
export const instantAndAgo = (at: number | undefined): Html => time(at, 'both');

function time(at: number | undefined, form: 'exact' | 'ago' | 'both'): Html {
  if (at === undefined) return html`${messages.text('never')}`;
  const iso = `${new Date(at).toISOString().slice(0, 19)}Z`;
  return html`<time datetime="${iso}"${form !== 'ago' && html` data-form="${form}"`}>${exactFormat().format(at)}</time>`;
}

/** Writes the relative times of a page. Texts of users are escaped, so they contain no such element. */
export const withRelativeTimes = ({ markup }: Html, now: number): Html =>
  new Html(
    markup.replace(
      /(<time datetime="([^"]+)"(?: data-form="(both)")?)>([^<]*)</g,
      (...[, start, iso, form, exact]: string[]) => {
        const at = Date.parse(iso ?? '');
        const relative = relativeTime(at, now);
        if (form === 'both') return `${start}>${exact}${relative && ` (${relative})`}<`;
        return `${start} title="${exact}">${relative || dayFormat().format(at)}<`;
      },
    ),
  );
