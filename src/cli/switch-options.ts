/** The options of `client create` and `client update` for the switches of an application, and their effects. */
import { MOST_COUNTED } from '../administration/applications.ts';
import { checkApplicationOperation } from '../administration/operations/security-operations.ts';
import type { Members } from '../http/fields.ts';
import {
  parseSwitch,
  SWITCH_KEYS,
  SWITCHES,
  type Switch,
  type SwitchKey,
  switchField,
  switchOption,
  switchRange,
  switchTitle,
} from '../oauth/switches.ts';
import { type CommandOption, type Context, type Input, usageError } from './command.ts';
import { text } from './option-values.ts';
import type { Operations } from './rendering.ts';
import { terminalText } from './terminal-text.ts';

type Options = Input['options'];

const valueForm = (row: Switch): string =>
  'values' in row ? row.values.join('|') : row.none ? 'TIME|none' : 'SECONDS';

export const SWITCH_OPTIONS: readonly CommandOption[] = SWITCH_KEYS.map((key) => ({
  name: switchOption(key),
  value: valueForm(SWITCHES[key]),
  doc: SWITCHES[key].doc,
}));

/** Reads the switches as fields of operations; an absent one is undefined. Throws a usage error for the first invalid one. */
export const readSwitches = (options: Options) =>
  Object.fromEntries(SWITCH_KEYS.map((key) => [switchField(key), readSwitchValue(key, options)]));

function readSwitchValue(key: SwitchKey, options: Options): string | number | undefined {
  const option = switchOption(key);
  const typed = text(options[option]);
  const value = typed === undefined ? undefined : parseSwitch(key, typed);
  if (typed !== undefined && value === undefined)
    throw usageError(`--${option} must be ${switchRange(key)}.`);
  return value;
}

/** Returns the number of active grants as text. */
export const grantsText = (count: number): string =>
  count > MOST_COUNTED ? `more than ${MOST_COUNTED} active grants` : `${count} active grant(s)`;

const SECOND_URI =
  'With several redirect URIs, a requested redirect_uri must be registered, also one that was ignored until now.';

const urisIn = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);

type Change = {
  /** The document of the application. */
  readonly before: Members;
  /** The fields of the update. */
  readonly change: Members;
};

/** Prints the effects on standard error, with the number of active grants if they are affected. Not with `--json`. */
export async function printEffects(
  { before, change }: Change,
  operations: Operations,
  { io, json }: Context,
): Promise<void> {
  const changed = SWITCH_KEYS.filter((key) => {
    const value = change[switchField(key)];
    return value !== undefined && value !== before[switchField(key)];
  });
  const added = urisIn(change.add_redirect_uris);
  const isSecond =
    urisIn(before.redirect_uris).length === 1 &&
    (urisIn(change.redirect_uris).length > 1 || added.length > urisIn(change.remove_redirect_uris).length);
  const lines = [
    ...changed.map((key) => `${switchTitle(key)}: ${SWITCHES[key].consequence}`),
    ...(isSecond ? [SECOND_URI] : []),
  ];
  if (json || lines.length === 0) return;
  if (isSecond || changed.some((key) => 'affectsGrants' in SWITCHES[key])) {
    const { living_grants: grants } = await operations.read(checkApplicationOperation, {
      client_id: before.client_id,
    });
    lines.unshift(`This application has ${grantsText(Number(grants))}.`);
  }
  io.stderr.write(`${terminalText(lines.join('\n'))}\n`);
}
