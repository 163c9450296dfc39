import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  DEFAULT_SWITCHES,
  isAllowed,
  parseSwitch,
  SWITCH_KEYS,
  SWITCHES,
  type SwitchKey,
  switchField,
  switchOption,
  switchProblems,
  switchRange,
  switchText,
  switchTitle,
  withLabels,
} from './switches.ts';

const YEARS_10 = 315_360_000;

describe('the table of switches', () => {
  it('has these defaults, with which nothing differs from the wire', () => {
    assert.deepEqual(DEFAULT_SWITCHES, {
      ...{ profile: 'default', pushedRequests: 'accepted', pkce: 'accepted', codeFormat: 'user-id' },
      ...{ codeLifetime: 600, issuerInCallback: 'off', refreshRotation: 'always', refreshReuse: 'refuse' },
      ...{ refreshReplayWindow: 0, refreshIdleLifetime: 0, refreshLifetime: 0, senderConstraint: 'off' },
      ...{ dpopNonce: 'off', clientAuthentication: 'secret', revocation: 'open', resourceIndicators: 'off' },
    });
  });

  it('warns before a change that affects living grants', () => {
    const warned = SWITCH_KEYS.filter(
      (key) => 'affectsGrants' in SWITCHES[key] && SWITCHES[key].affectsGrants,
    );

    assert.deepEqual(warned, [
      ...['profile', 'refreshReuse', 'refreshIdleLifetime', 'refreshLifetime'],
      ...['senderConstraint', 'clientAuthentication'],
    ]);
  });
});

describe('a typed value of a switch', () => {
  const values: readonly (readonly [SwitchKey, Readonly<Record<string, string | number | undefined>>])[] = [
    ['codeFormat', { 'user-id': 'user-id', opaque: 'opaque', '': undefined, Opaque: undefined }],
    ['senderConstraint', { off: 'off', accepted: 'accepted', required: 'required', on: undefined }],
    ['codeLifetime', { 10: 10, 600: 600, 9: undefined, 601: undefined, '': undefined, '10.5': undefined }],
    ['codeLifetime', { none: undefined, '10s': undefined, '0': undefined, '0010': undefined }],
    ['refreshReplayWindow', { 0: 0, 120: 120, 121: undefined, none: undefined, '-1': undefined }],
    ['refreshIdleLifetime', { none: 0, '1h': 3600, '3650d': YEARS_10, '3599s': undefined, '30': undefined }],
    ['refreshLifetime', { none: 0, '30d': 2_592_000, '3651d': undefined, '0': undefined, '': undefined }],
  ];
  for (const [key, parsed] of values)
    it(`is read for ${key}: ${Object.keys(parsed).join(', ')}`, () => {
      for (const [typed, value] of Object.entries(parsed))
        assert.equal(parseSwitch(key, typed), value, `"${typed}"`);
    });
});

describe('a received value of a switch', () => {
  const allowed: readonly (readonly [SwitchKey, readonly unknown[], readonly unknown[]])[] = [
    ['pkce', ['accepted', 'required'], ['', 'none', 1, null, undefined]],
    ['codeLifetime', [10, 11, 599, 600], [0, 9, 601, 10.5, '60', undefined, Number.NaN]],
    ['refreshReplayWindow', [0, 1, 120], [-1, 121, 0.5, '0']],
    ['refreshLifetime', [0, 3600, YEARS_10], [1, 3599, YEARS_10 + 1, -1, 'none']],
  ];
  for (const [key, right, wrong] of allowed)
    it(`is checked for ${key}`, () => {
      for (const value of right) assert.equal(isAllowed(SWITCHES[key], value), true, String(value));
      for (const value of wrong) assert.equal(isAllowed(SWITCHES[key], value), false, String(value));
    });
});

describe('the texts of a switch', () => {
  it('are its field, its option and its title', () => {
    const texts = (key: SwitchKey) => [switchField(key), switchOption(key), switchTitle(key)];

    assert.deepEqual(texts('pkce'), ['pkce', 'pkce', 'PKCE']);
    assert.deepEqual(texts('refreshIdleLifetime'), [
      ...['refresh_idle_lifetime', 'refresh-idle-lifetime', 'Refresh idle lifetime'],
    ]);
  });

  it('state its range', () => {
    assert.equal(switchRange('senderConstraint'), 'off or accepted or required');
    assert.equal(switchRange('codeLifetime'), 'a whole number of seconds from 10 to 600');
    assert.equal(switchRange('refreshLifetime'), 'none or a time from 1h to 3650d');
  });

  it('show a value with its unit', () => {
    assert.equal(switchText('codeFormat', 'opaque'), 'opaque');
    assert.equal(switchText('refreshReplayWindow', 0), '0 s');
    assert.equal(switchText('codeLifetime', 60), '60 s');
    assert.equal(switchText('refreshLifetime', 0), 'none');
    assert.equal(switchText('refreshLifetime', 5400), '90m');
  });

  it('replace the fields in a sentence', () => {
    const sentence = 'refresh_reuse needs code_format and returning_users; redirect_uri, jwks_uri or jwks';

    assert.equal(
      withLabels(sentence),
      'refresh token reuse needs code format and returning users; redirect URI, JWKS URL or JWKS',
    );
  });
});

describe('a combination of switches', () => {
  const settings = { ...DEFAULT_SWITCHES, returningUsers: 'prove', redirectUris: ['https://app.example/cb'] };
  type Change = Partial<Parameters<typeof switchProblems>[0]>;
  const problems = (change: Change) =>
    switchProblems({ ...settings, ...change } as Parameters<typeof switchProblems>[0]); // as `settings` has the rest
  const PUBLIC: Change = {
    ...{ clientAuthentication: 'none', codeFormat: 'opaque', pkce: 'required' },
    senderConstraint: 'required',
  };

  const allowed: Readonly<Record<string, Change>> = {
    'the default': {},
    'no rotation with keys of the application': {
      ...{ refreshRotation: 'never', clientAuthentication: 'private_key_jwt' },
    },
    'no rotation with bound tokens': { refreshRotation: 'never', senderConstraint: 'required' },
    'the end of reused grants with a window of 10 seconds': {
      ...{ refreshReuse: 'end-grant', refreshReplayWindow: 10 },
    },
    'the end of reused grants without rotation': {
      ...{ refreshReuse: 'end-grant', refreshRotation: 'never', senderConstraint: 'required' },
    },
    'the refusal of reused tokens without a window': { refreshReplayWindow: 9 },
    'the issuer in the callback': { issuerInCallback: 'on', redirectUris: ['https://app.example/?issue=1'] },
    'a redirect URI with iss': { redirectUris: ['https://app.example/cb?iss=1'] },
    'the issuer in the callback with what is no URL': { issuerInCallback: 'on', redirectUris: ['?iss=1'] },
    'a public application with bound tokens': PUBLIC,
    'a public application with the end of reused grants': {
      ...PUBLIC,
      ...{ senderConstraint: 'off', refreshReuse: 'end-grant', refreshReplayWindow: 10 },
    },
    'returning users that continue': { returningUsers: 'continue' },
  };
  for (const [name, change] of Object.entries(allowed))
    it(`can be ${name}`, () => assert.deepEqual(problems(change), []));

  const refused: readonly (readonly [string, Change, RegExp])[] = [
    ['no rotation', { refreshRotation: 'never' }, /^refresh_rotation "never" requires/],
    [
      'no rotation with tokens that may be bound',
      { refreshRotation: 'never', senderConstraint: 'accepted' },
      /^refresh_rotation "never" requires/,
    ],
    [
      'the end of reused grants with a window of 9 seconds',
      { refreshReuse: 'end-grant', refreshReplayWindow: 9 },
      /at least 10 seconds$/,
    ],
    [
      'the issuer in the callback with a further redirect URI that has iss',
      { issuerInCallback: 'on', redirectUris: ['https://a.example/', 'https://a.example/?a=1&iss='] },
      /excludes a redirect_uri/,
    ],
    [
      'a public application with user ids as codes',
      { ...PUBLIC, codeFormat: 'user-id' },
      /code_format "opaque"$/,
    ],
    ['a public application without PKCE', { ...PUBLIC, pkce: 'accepted' }, /pkce "required"$/],
    [
      'a public application whose tokens may be unbound',
      { ...PUBLIC, senderConstraint: 'accepted' },
      /or refresh_reuse "end-grant"$/,
    ],
    [
      'a public application whose users continue',
      { ...PUBLIC, returningUsers: 'continue' },
      /excludes returning_users/,
    ],
  ];
  for (const [name, change, problem] of refused)
    it(`cannot be ${name}`, () => {
      const [first = '', ...others] = problems(change);
      assert.match(first, problem);
      assert.deepEqual(others, []);
    });
});
