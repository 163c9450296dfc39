/** The fields of switches in the administration API. */
import { type Field, type Input, oneOf, parsed, wholeNumber } from '../../http/fields.ts';
import {
  isInRange,
  SWITCH_KEYS,
  SWITCHES,
  type Switch,
  type Switches,
  type SwitchField,
  type SwitchKey,
  switchField,
  switchRange,
} from '../../oauth/switches.ts';

function fieldOf(key: SwitchKey): Field<unknown, false> {
  const row: Switch = SWITCHES[key];
  if ('values' in row) return oneOf(row.values, { doc: row.doc });
  const { min, max, none, doc } = row;
  if (!none) return wholeNumber({ min, max, doc });
  return parsed((value) => (typeof value === 'number' && isInRange(row, value) ? value : undefined), {
    doc: `${doc} In seconds; 0 means \`none\`.`,
    schema: { type: 'integer', anyOf: [{ const: 0 }, { minimum: min, maximum: max }] },
    problem: `must be ${switchRange(key)}, in seconds`,
  });
}

/** A field for each switch. */
export const SWITCH_FIELDS = Object.fromEntries(
  SWITCH_KEYS.map((key) => [switchField(key), fieldOf(key)]),
) as { readonly [K in SwitchKey as SwitchField<K>]: Field<Switches[K], false> }; // a field for each key

/** Returns the switches that a request has. */
export const givenSwitches = (sent: Input<typeof SWITCH_FIELDS>): Partial<Switches> =>
  Object.fromEntries(
    SWITCH_KEYS.map((key) => [key, sent[switchField(key)]]).filter(([, value]) => value !== undefined),
  );
