import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSecureOrigin, planProfile, profileProblems, profileRequirements } from './profile.ts';
import { DEFAULT_SWITCHES, type Switches } from './switches.ts';

const FAPI2: Switches = {
  ...DEFAULT_SWITCHES,
  ...{ profile: 'fapi2', pushedRequests: 'required', pkce: 'required', codeFormat: 'opaque' },
  ...{ codeLifetime: 60, issuerInCallback: 'on', refreshRotation: 'never', refreshReuse: 'end-grant' },
  ...{ refreshReplayWindow: 60, senderConstraint: 'required', clientAuthentication: 'private_key_jwt' },
  revocation: 'authenticated',
};

describe('the profile fapi2', () => {
  const allowed: readonly Partial<Switches>[] = [
    {},
    { codeLifetime: 10, refreshReplayWindow: 0 },
    { refreshRotation: 'always' },
    { dpopNonce: 'on', resourceIndicators: 'on', refreshLifetime: 3600 },
  ];
  for (const change of allowed)
    it(`allows ${JSON.stringify(change)}`, () =>
      assert.deepEqual(profileProblems({ ...FAPI2, ...change }), []));

  const refused: readonly (readonly [Partial<Switches>, string])[] = [
    [{ pushedRequests: 'accepted' }, 'pushed_requests "required"'],
    [{ pkce: 'accepted' }, 'pkce "required"'],
    [{ codeFormat: 'user-id' }, 'code_format "opaque"'],
    [{ codeLifetime: 61 }, 'code_lifetime of at most 60 seconds'],
    [{ issuerInCallback: 'off' }, 'issuer_in_callback "on"'],
    [{ refreshReuse: 'refuse' }, 'refresh_reuse "end-grant"'],
    [{ refreshReplayWindow: 61 }, 'refresh_replay_window of at most 60 seconds'],
    [{ senderConstraint: 'accepted' }, 'sender_constraint "required"'],
    [{ clientAuthentication: 'secret' }, 'client_authentication "private_key_jwt"'],
    [{ clientAuthentication: 'none' }, 'client_authentication "private_key_jwt"'],
    [{ revocation: 'open' }, 'revocation "authenticated"'],
  ];
  for (const [change, text] of refused)
    it(`refuses ${JSON.stringify(change)}`, () => {
      const values = { ...FAPI2, ...change };

      assert.deepEqual(profileProblems(values), [`profile "fapi2" requires ${text}`]);
      assert.deepEqual(
        profileRequirements(values).flatMap((row) => (row.isMet ? [] : [row.text])),
        [text],
      );
      assert.deepEqual(profileProblems({ ...values, profile: 'default' }), []);
    });

  it('has a requirement on each switch that it sets, except for rotation', () => {
    assert.deepEqual(
      profileRequirements(DEFAULT_SWITCHES).map(({ key }) => key),
      [
        ...['profile', 'pushedRequests', 'pkce', 'codeFormat', 'codeLifetime', 'issuerInCallback'],
        ...['refreshReuse', 'refreshReplayWindow', 'senderConstraint', 'clientAuthentication', 'revocation'],
      ],
    );
  });
});

describe('a change of the profile', () => {
  it('is none if the profile stays or is absent', () => {
    assert.equal(planProfile(DEFAULT_SWITCHES, undefined, undefined), undefined);
    assert.equal(planProfile(DEFAULT_SWITCHES, 'default', undefined), undefined);
    assert.equal(planProfile(FAPI2, 'fapi2', undefined), undefined);
  });

  it('keeps stricter switches, but neither the rotation nor the replay window', () => {
    const stored: Switches = { ...DEFAULT_SWITCHES, codeLifetime: 30, pkce: 'required' };

    const { switches, switchesBefore } = planProfile(stored, 'fapi2', undefined) ?? {};

    assert.deepEqual({ ...DEFAULT_SWITCHES, ...switches }, { ...FAPI2, codeLifetime: 30 });
    assert.deepEqual({ profile: 'default', ...JSON.parse(switchesBefore ?? '') }, stored);
    assert.equal(Object.hasOwn(JSON.parse(switchesBefore ?? ''), 'profile'), false);
  });

  it('restores the switches from before, except for those that are no longer allowed', () => {
    const before = {
      profile: 'fapi2',
      codeLifetime: 90,
      pkce: 'sometimes',
      refreshLifetime: 1,
      former: 'on',
    };

    const restored = planProfile(FAPI2, 'default', JSON.stringify(before));

    assert.deepEqual(restored, {
      switches: { ...DEFAULT_SWITCHES, codeLifetime: 90 },
      switchesBefore: null,
    });
  });

  it('restores the defaults if no switches were stored', () =>
    assert.deepEqual(planProfile(FAPI2, 'default', undefined)?.switches, DEFAULT_SWITCHES));
});

describe('a secure origin', () => {
  for (const [origin, isSecure] of [
    ['https://kalends.example', true],
    ['http://localhost:3000', true],
    ['http://127.0.0.1:3000', true],
    ['http://kalends.example', false],
  ] as const)
    it(`is ${isSecure ? '' : 'not '}${origin}`, () => assert.equal(isSecureOrigin(origin), isSecure));
});
