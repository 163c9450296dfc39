import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { missingForReview } from './requirements.ts';
import type { Verification } from './verification.ts';

const COMPLETE: Verification = {
  clientId: 'acme',
  status: 'not_submitted',
  submittedAt: undefined,
  reviewerNote: undefined,
  verifiedAt: undefined,
  present: {
    displayName: 'Acme Planner',
    applicationUrl: 'https://acme.example/',
    supportEmail: 'help@acme.example',
    supportUrl: undefined,
    logo: undefined,
    darkLogo: undefined,
  },
  approved: undefined,
  redirectUri: 'https://acme.example/cb',
  furtherRedirectUris: [],
};
const fieldsMissing = (verification: Verification) =>
  missingForReview(verification).map(({ field }) => field);

describe('missingForReview', () => {
  it('a submission needs one support contact and no logo', () => {
    const present = { ...COMPLETE.present, supportEmail: undefined, supportUrl: 'https://acme.example/help' };

    assert.deepEqual(fieldsMissing(COMPLETE), []);
    assert.deepEqual(fieldsMissing({ ...COMPLETE, present }), []);
  });

  it('a submission lists every missing value with how to set it', () => {
    const { present, redirectUri } = COMPLETE;
    const empty = { ...present, displayName: undefined, applicationUrl: undefined, supportEmail: undefined };

    const missing = missingForReview({
      ...COMPLETE,
      present: empty,
      redirectUri: redirectUri.replace('s', ''),
    });

    assert.deepEqual(
      missing.map(({ field }) => field),
      ['displayName', 'applicationUrl', 'redirectUri', 'support'],
    );
    for (const { sentence } of missing) assert.match(sentence, /^Set .*\.$/);
  });

  const notPublic = [
    'http://acme.example/cb',
    'https://localhost/cb',
    'https://LOCALHOST./cb',
    'https://app.localhost:8443/cb',
    'https://127.0.0.1/cb',
    'https://127.1/cb',
    'https://2130706433/cb',
    'https://[::1]/cb',
    'https://[::ffff:127.0.0.1]/cb',
    'https://0.0.0.0/cb',
    'https://[::]/cb',
    'com.example.app:/cb',
  ];
  for (const redirectUri of notPublic) {
    it(`a submission is incomplete with the redirect URI ${redirectUri}`, () => {
      assert.deepEqual(fieldsMissing({ ...COMPLETE, redirectUri }), ['redirectUri']);
    });
  }

  it('a submission accepts the redirect URI of Postman', () => {
    assert.deepEqual(fieldsMissing({ ...COMPLETE, redirectUri: 'https://oauth.pstmn.io/v1/callback' }), []);
  });
});
