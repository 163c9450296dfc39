/**
 * The switches of an application (docs/hardening.md): how strict its authorization requests, codes, tokens and client
 * authentication are. The columns of `application`, fields of the administration API, options of the command line, the
 * dashboard's form, the audit log and the documents derive from SWITCHES. With all first values, nothing differs from the
 * wire of docs/wire.md.
 */
import { parseDuration, renderDuration } from '../lib/duration.ts';

type About = {
  /** Its name in text. */
  readonly label: string;
  /** The meaning of its values, for the reference, the dashboard and the help of the command line. */
  readonly doc: string;
  /** The effect of a change on an application in use. */
  readonly consequence: string;
  /** Whether a change affects living grants. */
  readonly affectsGrants?: true;
};

type Choice<V extends string> = About & { readonly values: readonly V[]; readonly initial: V };

/** A number of whole seconds. `none` says that 0 means no limit, although it is below `min`. */
type Seconds = About & {
  readonly min: number;
  readonly max: number;
  readonly none: boolean;
  readonly initial: number;
};

export type Switch = Choice<string> | Seconds;

const choice = <const V extends string>(values: readonly [V, ...V[]], about: About): Choice<V> => ({
  ...about,
  values,
  initial: values[0],
});
const seconds = (range: Omit<Seconds, keyof About | 'none'>, about: About): Seconds => ({
  ...range,
  ...about,
  none: false,
});
const lifetime = (about: About): Seconds => ({
  ...about,
  ...{ min: 3600, max: 3650 * 86_400, none: true, initial: 0 },
});

/** By property. The first of several values is the default. */
export const SWITCHES = {
  profile: choice(['default', 'fapi2'], {
    label: 'profile',
    doc: '`fapi2`: the FAPI 2.0 Security Profile, which makes other switches stricter and needs `jwks` or `jwks_uri`. `default` restores the switches from before the profile.',
    consequence:
      'With `fapi2`, all client secrets end, the issuer becomes `/fapi2` and requests at the other one are refused. Returning to `default` creates a new client secret.',
    affectsGrants: true,
  }),
  pushedRequests: choice(['accepted', 'required'], {
    label: 'pushed requests',
    doc: '`accepted`, the default: `/authorize` takes its parameters from the URL or from a request pushed to `/par`. `required`: only from a pushed request (RFC 9126).',
    consequence: 'With `required`, an address with the parameters of the request no longer starts a flow.',
  }),
  pkce: choice(['accepted', 'required'], {
    label: 'PKCE',
    doc: '`required`: every authorization request needs a `code_challenge` with the method S256 (RFC 7636).',
    consequence: 'With `required`, requests without a challenge are refused.',
  }),
  codeFormat: choice(['user-id', 'opaque'], {
    label: 'code format',
    doc: '`user-id`, the default: the authorization code is the user id. `opaque`: it is a random value that works once, and a second redemption ends the grant of the first.',
    consequence:
      'With `opaque`, pending `user-id` codes are refused, and the application reads the user id from the access token.',
  }),
  codeLifetime: seconds(
    { min: 10, max: 600, initial: 600 },
    {
      label: 'code lifetime',
      doc: 'Seconds for which an authorization code can be redeemed: 10 to 600; 600 by default.',
      consequence: 'A code that is redeemed later is refused, and the user starts again.',
    },
  ),
  issuerInCallback: choice(['off', 'on'], {
    label: 'issuer in callback',
    doc: '`on`: the redirect to the application has the parameter `iss` (RFC 9207).',
    consequence:
      'With `on`, the application must accept a further parameter, and no redirect URI may contain it.',
  }),
  refreshRotation: choice(['always', 'never'], {
    label: 'refresh token rotation',
    doc: '`always`, the default: each refresh returns a new refresh token. `never`: it returns the same one. Allowed with client authentication `private_key_jwt` or sender constraint `required`.',
    consequence:
      'With `never`, a refresh token works until its grant ends, for everyone who also has the key of the application.',
  }),
  refreshReuse: choice(['refuse', 'end-grant'], {
    label: 'refresh token reuse',
    doc: '`end-grant`: a rotated refresh token that is presented outside the replay window ends its grant (RFC 9700). Needs a refresh replay window of at least 10 seconds unless rotation is `never`.',
    consequence:
      'With `end-grant`, an application that repeats an old refresh token too late needs a new approval.',
    affectsGrants: true,
  }),
  refreshReplayWindow: seconds(
    { min: 0, max: 120, initial: 0 },
    {
      label: 'refresh replay window',
      doc: 'Seconds after a refresh for which the rotated refresh token still returns its successor, until the successor is used: 0 (off, the default) to 120. A client whose response was lost can then repeat the request.',
      consequence: 'Within this time, an old refresh token also works for a thief.',
    },
  ),
  refreshIdleLifetime: lifetime({
    label: 'refresh idle lifetime',
    doc: 'How long after the last refresh a refresh token expires: 1h to 3650d, or `none`, the default.',
    consequence:
      'Existing grants count from their last refresh. Users approve again after this time without a refresh.',
    affectsGrants: true,
  }),
  refreshLifetime: lifetime({
    label: 'refresh lifetime',
    doc: 'How long after the approval the refresh tokens of the grant expire: 1h to 3650d, or `none`, the default.',
    consequence: 'Existing grants count from their approval. Users approve again after this time.',
    affectsGrants: true,
  }),
  senderConstraint: choice(['off', 'accepted', 'required'], {
    label: 'sender constraint',
    doc: '`accepted`: a DPoP proof binds codes and tokens to its key (RFC 9449). `required`: unbound tokens are refused. `off` is the default.',
    consequence:
      'With `required`, unbound access tokens are refused within 5 seconds, and the next refresh needs a proof. With `off`, bound access tokens need proofs until they expire, and the next refresh without a proof returns unbound tokens.',
    affectsGrants: true,
  }),
  dpopNonce: choice(['off', 'on'], {
    label: 'DPoP nonce',
    doc: '`on`: DPoP proofs need a nonce of the server (RFC 9449 §8).',
    consequence: 'With `on`, the application must repeat requests that are refused with `use_dpop_nonce`.',
  }),
  clientAuthentication: choice(['secret', 'private_key_jwt', 'none'], {
    label: 'client authentication',
    doc: '`secret`, the default: the client secret. `private_key_jwt`: an assertion that a registered key signed (RFC 7523); all secrets end. `none`: the application is public.',
    consequence:
      'Leaving `secret` ends all client secrets. Returning to it creates a new one. Grants from the time of `none` stay, although anyone could claim any user id then: revoke them.',
    affectsGrants: true,
  }),
  revocation: choice(['open', 'authenticated'], {
    label: 'revocation',
    doc: '`open`, the default: anyone who has a token can revoke it. `authenticated`: `/revoke` also requires the client authentication of its application.',
    consequence: 'With `authenticated`, a revocation without the credentials of the application is refused.',
  }),
  resourceIndicators: choice(['off', 'on'], {
    label: 'resource indicators',
    doc: '`on`: the parameter `resource` sets the audience of access tokens (RFC 8707).',
    consequence: 'With `on`, requests for another resource than this server are refused.',
  }),
} as const;

export type SwitchKey = keyof typeof SWITCHES;
export const SWITCH_KEYS = Object.keys(SWITCHES) as readonly SwitchKey[]; // the keys of the table

/** The value of each switch: a word, or whole seconds. */
export type Switches = {
  readonly [K in SwitchKey]: (typeof SWITCHES)[K] extends { readonly values: readonly (infer V)[] }
    ? V
    : number;
};

type Snake<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : S;
/** The name of a switch in JSON, as in `code_format`. */
export type SwitchField<K extends SwitchKey = SwitchKey> = Snake<K>;

const name = (key: SwitchKey, separator: string): string =>
  key.replaceAll(/[A-Z]/g, (letter) => separator + letter.toLowerCase());

/** Returns the name of the column, of the field in JSON and of the field in forms. */
export const switchField = <K extends SwitchKey>(key: K): SwitchField<K> => name(key, '_') as SwitchField<K>;

/** Returns the name of the option without `--`. */
export const switchOption = (key: SwitchKey): string => name(key, '-');

/** Returns the name as a heading. */
export const switchTitle = (key: SwitchKey): string =>
  SWITCHES[key].label.replace(/^./, (letter) => letter.toUpperCase());

/** Returns a sentence about switches with their names instead of their fields. */
export const withLabels = (text: string): string =>
  SWITCH_KEYS.reduce((rest, key) => rest.replaceAll(switchField(key), SWITCHES[key].label), text)
    .replaceAll('returning_users', 'returning users')
    .replaceAll('redirect_uri', 'redirect URI')
    .replaceAll('jwks_uri', 'JWKS URL')
    .replaceAll('jwks', 'JWKS');

/** Returns what a value of a switch must be, for errors. */
export const switchRange = (key: SwitchKey): string => {
  const row: Switch = SWITCHES[key];
  if ('values' in row) return row.values.join(' or ');
  return row.none
    ? `none or a time from 1h to ${row.max / 86_400}d`
    : `a whole number of seconds from ${row.min} to ${row.max}`;
};

/** Returns a value as texts show it. */
export const switchText = (key: SwitchKey, value: string | number): string => {
  const row: Switch = SWITCHES[key];
  if (typeof value === 'string' || 'values' in row) return String(value);
  if (!row.none) return `${value} s`;
  return value === 0 ? 'none' : renderDuration(value);
};

/** Parses a value as people type it: a word, whole seconds, or `none` or a duration. `undefined` if it is not allowed. */
export function parseSwitch<K extends SwitchKey>(key: K, typed: string): Switches[K] | undefined {
  const row: Switch = SWITCHES[key];
  const value = 'values' in row ? row.values.find((word) => word === typed) : parseSeconds(row, typed);
  return value as Switches[K] | undefined; // one of its values
}

function parseSeconds(row: Seconds, typed: string): number | undefined {
  if (row.none && typed === 'none') return 0;
  const seconds = row.none
    ? (parseDuration(typed) || Number.NaN) / 1000
    : Number(/^\d{1,3}$/.exec(typed)?.[0] ?? Number.NaN);
  return isInRange(row, seconds) ? seconds : undefined;
}

/** Returns whether `seconds` is in the range of a switch. */
export const isInRange = ({ min, max, none }: Seconds, seconds: number): boolean =>
  Number.isInteger(seconds) && ((none && seconds === 0) || (seconds >= min && seconds <= max));

/** Returns whether a switch can have this value. */
export const isAllowed = (row: Switch, value: unknown): boolean =>
  'values' in row
    ? row.values.some((word) => word === value)
    : typeof value === 'number' && isInRange(row, value);

/** Returns an object with a value for each switch. */
export const eachSwitch = <T>(value: (key: SwitchKey) => T): Readonly<Record<SwitchKey, T>> =>
  Object.fromEntries(SWITCH_KEYS.map((key) => [key, value(key)])) as Record<SwitchKey, T>; // a value for each key

export const DEFAULT_SWITCHES = eachSwitch((key) => SWITCHES[key].initial) as Switches; // the initial values

/** The values that the rules on combinations read. */
type Combined = Switches & {
  readonly returningUsers: 'prove' | 'continue';
  readonly redirectUris: readonly string[];
};

const hasParameter = (uri: string, parameter: string): boolean =>
  URL.canParse(uri) && new URL(uri).searchParams.has(parameter);

/** Each rule with its error, which names both sides. */
const EXCLUSIONS: readonly { readonly applies: (values: Combined) => boolean; readonly problem: string }[] = [
  {
    applies: (values) =>
      values.refreshRotation === 'never' &&
      values.clientAuthentication !== 'private_key_jwt' &&
      values.senderConstraint !== 'required',
    problem:
      'refresh_rotation "never" requires client_authentication "private_key_jwt" or sender_constraint "required"',
  },
  {
    applies: (values) =>
      values.refreshReuse === 'end-grant' &&
      values.refreshRotation === 'always' &&
      values.refreshReplayWindow < 10,
    problem: 'refresh_reuse "end-grant" requires a refresh_replay_window of at least 10 seconds',
  },
  {
    applies: (values) =>
      values.issuerInCallback === 'on' && values.redirectUris.some((uri) => hasParameter(uri, 'iss')),
    problem: 'issuer_in_callback "on" excludes a redirect_uri with the parameter "iss"',
  },
  {
    applies: (values) => values.clientAuthentication === 'none' && values.codeFormat !== 'opaque',
    problem: 'client_authentication "none" requires code_format "opaque"',
  },
  {
    applies: (values) => values.clientAuthentication === 'none' && values.pkce !== 'required',
    problem: 'client_authentication "none" requires pkce "required"',
  },
  {
    applies: (values) =>
      values.clientAuthentication === 'none' &&
      values.senderConstraint !== 'required' &&
      values.refreshReuse !== 'end-grant',
    problem:
      'client_authentication "none" requires sender_constraint "required" or refresh_reuse "end-grant"',
  },
  {
    applies: (values) => values.clientAuthentication === 'none' && values.returningUsers === 'continue',
    problem: 'client_authentication "none" excludes returning_users "continue"',
  },
];

/** Returns a sentence for each combination of `values` that is not allowed. */
export const switchProblems = (values: Combined): string[] =>
  EXCLUSIONS.filter(({ applies }) => applies(values)).map(({ problem }) => problem);
