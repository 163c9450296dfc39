/** The table of reasons in docs/account-health.md, from the reasons and the texts that the dashboard shows for them. */
import { HEALTH_REASONS } from '../src/calendars/health-reason.ts';
import en from '../src/dashboard/messages/en.json' with { type: 'json' };

const HEAD = '| Reason | Actor | Problem | How to fix it |\n|---|---|---|---|\n';

/** Returns the page with a current table. Throws if the page has none. */
export function accountHealthDocument(page: string): string {
  const texts: Readonly<Record<string, string>> = en;
  const rows = Object.entries(HEALTH_REASONS).map(
    ([reason, actor]) =>
      `| \`${reason}\` | ${actor} | ${texts[`reason.${reason}`]} | ${toMarkdown(texts[`reason.${reason}.mends`] ?? '')} |\n`,
  );
  const [before, after] = page.split(HEAD);
  if (before === undefined || after === undefined)
    throw new Error('docs/account-health.md has no table of reasons');
  return before + HEAD + rows.join('') + after.slice(after.search(/^$/m));
}

const toMarkdown = (text: string): string =>
  text
    .replace(/\bKALENDS_\w+/g, '`$&`')
    .replace(/“([^”]+)”/g, '`$1`')
    .replace(/\bdocs\/(\w+)\.md/g, '[$1]($1.md)');
