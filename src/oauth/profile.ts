/**
 * The profiles of an application. `fapi2` sets the switches that the FAPI 2.0 Security Profile requires; except for
 * rotation, they can then only be made stricter. `default` restores the switches from before.
 */
import { isLoopbackHost } from '../lib/egress/private-network.ts';
import {
  DEFAULT_SWITCHES,
  eachSwitch,
  isAllowed,
  SWITCH_KEYS,
  SWITCHES,
  type Switch,
  type Switches,
  type SwitchKey,
  switchField,
} from './switches.ts';

type SwitchChange = Partial<Switches>;

/** Values of the profile `fapi2`. The replay window of 60 seconds is for operators who set rotation to `always`. */
const FAPI2 = {
  profile: 'fapi2',
  pushedRequests: 'required',
  pkce: 'required',
  codeFormat: 'opaque',
  codeLifetime: 60,
  issuerInCallback: 'on',
  refreshRotation: 'never',
  refreshReuse: 'end-grant',
  refreshReplayWindow: 60,
  senderConstraint: 'required',
  clientAuthentication: 'private_key_jwt',
  revocation: 'authenticated',
} as const satisfies SwitchChange;

const FAPI2_KEYS = Object.keys(FAPI2) as readonly (keyof typeof FAPI2)[]; // the keys of the table

/** Returns whether a value is at least as strict as the profile requires. */
function isStrictEnough(key: keyof typeof FAPI2, value: string | number): boolean {
  const required = FAPI2[key];
  if (typeof required === 'number') return Number(value) <= required;
  // `none` follows `private_key_jwt` in the table, but identifies no one.
  if (key === 'clientAuthentication') return value === required;
  const row: Switch = SWITCHES[key];
  const order = 'values' in row ? row.values : [];
  return order.indexOf(String(value)) >= order.indexOf(required);
}

/** A requirement of the profile on a switch. */
export type ProfileRequirement = {
  readonly key: SwitchKey;
  /** Such as `code_format "opaque"`. */
  readonly text: string;
  readonly isMet: boolean;
};

/** Returns what the profile `fapi2` requires of the switches. */
export const profileRequirements = (values: Switches): ProfileRequirement[] =>
  FAPI2_KEYS.filter((key) => key !== 'refreshRotation').map((key) => {
    const required = FAPI2[key];
    const field = switchField(key);
    const text =
      typeof required === 'number' ? `${field} of at most ${required} seconds` : `${field} "${required}"`;
    return { key, text, isMet: isStrictEnough(key, values[key]) };
  });

/** Returns a sentence for each switch that the application's profile does not allow. */
export const profileProblems = (values: Switches): string[] =>
  values.profile === 'default'
    ? []
    : profileRequirements(values)
        .filter(({ isMet }) => !isMet)
        .map(({ text }) => `profile "fapi2" requires ${text}`);

/** Returns whether browsers and applications reach this origin over https, or on this machine. */
export function isSecureOrigin(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || isLoopbackHost(hostname);
}

/** A change of profile. `switchesBefore` is what the application stores to restore its switches. */
export type ProfileChange = { readonly switches: SwitchChange; readonly switchesBefore: string | null };

/**
 * Returns the switches that a change of the profile sets besides the given ones, or undefined if the profile stays.
 * `switchesBefore` is the stored text.
 */
export function planProfile(
  stored: Switches,
  profile: Switches['profile'] | undefined,
  switchesBefore: string | undefined,
): ProfileChange | undefined {
  if (profile === undefined || profile === stored.profile) return undefined;
  if (profile === 'default')
    return { switches: { ...DEFAULT_SWITCHES, ...parseSwitches(switchesBefore) }, switchesBefore: null };
  const stricter = FAPI2_KEYS.filter(
    (key) => isStrictEnough(key, stored[key]) && key !== 'refreshRotation' && key !== 'refreshReplayWindow',
  );
  const switches = { ...FAPI2, ...Object.fromEntries(stricter.map((key) => [key, stored[key]])) };
  return { switches, switchesBefore: renderSwitches(eachSwitch((one) => stored[one]) as Switches) }; // the same values
}

// The column stores these property names.
const renderSwitches = ({ profile: _, ...switches }: Switches): string => JSON.stringify(switches);

/** Returns the stored switches. One that no longer exists, or whose value is no longer allowed, is left out. */
function parseSwitches(text: string | undefined): SwitchChange {
  const stored: Readonly<Record<string, unknown>> = text === undefined ? {} : JSON.parse(text);
  return Object.fromEntries(
    SWITCH_KEYS.filter((key) => key !== 'profile' && isAllowed(SWITCHES[key], stored[key])).map((key) => [
      key,
      stored[key],
    ]),
  );
}
