/** The options of `client create` and `client update` for the switches of an application. */
import {
  parseSwitch,
  SWITCH_KEYS,
  SWITCHES,
  type Switch,
  type SwitchKey,
  switchField,
  switchOption,
  switchRange,
} from '../oauth/switches.ts';
import { type CommandOption, type Input, usageError } from './command.ts';
import { text } from './option-values.ts';

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
