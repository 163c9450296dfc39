/** The table of switches in docs/hardening.md, from the descriptions that the command line and the dashboard show. */
import {
  SWITCH_KEYS,
  SWITCHES,
  type Switch,
  type SwitchKey,
  switchOption,
  switchText,
} from '../src/oauth/switches.ts';

const HEAD = '| Option | Values, the default first | Effect | When you change it |\n|---|---|---|---|\n';

/** Returns the page with a current table. Throws if the page has none. */
export function hardeningDocument(page: string): string {
  const [before, after] = page.split(HEAD);
  if (before === undefined || after === undefined)
    throw new Error('docs/hardening.md has no table of switches');
  return before + HEAD + SWITCH_KEYS.map(renderRow).join('') + after.slice(after.search(/^$/m));
}

function renderRow(key: SwitchKey): string {
  const { doc, consequence } = SWITCHES[key];
  return `| \`--${switchOption(key)}\` | ${renderValues(key)} | ${doc} | ${consequence} |\n`;
}

function renderValues(key: SwitchKey): string {
  const row: Switch = SWITCHES[key];
  if ('values' in row) return row.values.map((value) => `\`${value}\``).join(', ');
  const { min, max, none, initial } = row;
  const [first, least, most] = [initial, min, max].map((seconds) => switchText(key, seconds));
  return none ? `\`${first}\`, ${least} to ${most}` : `\`${initial}\`, ${min} to ${max} s`;
}
