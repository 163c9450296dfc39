/** The fields of switches and other settings of applications in the administration API. */
import { PROVIDER_KINDS } from '../../calendars/provider-facts.ts';
import { type Field, flag, type Input, oneOf, parsed, wholeNumber } from '../../http/fields.ts';
import { type ClientSettings, RETURNING_USERS } from '../../oauth/client.ts';
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
import { KEY_FIELDS } from './key-fields.ts';

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
const SWITCH_FIELDS = Object.fromEntries(SWITCH_KEYS.map((key) => [switchField(key), fieldOf(key)])) as {
  readonly [K in SwitchKey as SwitchField<K>]: Field<Switches[K], false>;
}; // a field for each key

/** Returns the switches that a request has. */
const givenSwitches = (sent: Input<typeof SWITCH_FIELDS>): Partial<Switches> =>
  Object.fromEntries(
    SWITCH_KEYS.map((key) => [key, sent[switchField(key)]]).filter(([, value]) => value !== undefined),
  );

const providers = parsed(
  (value) =>
    Array.isArray(value) && value.every((kind) => PROVIDER_KINDS.some((one) => one === kind))
      ? (value as readonly string[])
      : undefined,
  {
    doc: 'The providers that it offers. An empty list means all providers of the deployment.',
    schema: { type: 'array', items: { enum: [...PROVIDER_KINDS] } },
    problem: `must be a list of ${PROVIDER_KINDS.join(', ')}`,
  },
);

/** How users connect. Absent fields keep their values or have their defaults. */
export const SETTINGS_FIELDS = {
  ...{ ...SWITCH_FIELDS, ...KEY_FIELDS },
  returning_users: oneOf(RETURNING_USERS, { doc: 'Whether returning users prove their accounts.' }),
  providers,
  share_address: flag({
    doc: '`true`: the webhook URL may be one that another application uses. Only owners can set it.',
  }),
};

type SentSettings = Input<typeof SWITCH_FIELDS> & {
  readonly returning_users: ClientSettings['returningUsers'] | undefined;
  readonly providers: readonly string[] | undefined;
};

/** Returns the settings that a request has. */
export const givenSettings = (sent: SentSettings) => ({
  ...givenSwitches(sent),
  ...(sent.returning_users !== undefined && { returningUsers: sent.returning_users }),
  ...(sent.providers !== undefined && { providers: sent.providers.length === 0 ? null : sent.providers }),
});
