import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ofAccount } from './sign-in.ts';

const HOST = 'https://login.microsoftonline.com';
const TENANT = '4c1e0f4a-0d9f-4a3e-9f50-1f2b7d3c5a6e';
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad';

const endpointFor = (path: string, identity: string): string | undefined => {
  const metadata = { issuer: HOST, token_endpoint: `${HOST}/${path}/oauth2/v2.0/token` };
  const { token_endpoint: endpoint } = ofAccount(`${HOST}/${path}/v2.0`, identity, metadata);
  return endpoint?.slice(HOST.length + 1, -'/oauth2/v2.0/token'.length);
};

describe('the endpoint for refreshing the tokens of an account', () => {
  it('is that of its tenant if the issuer serves many tenants, and consumers for personal accounts', () => {
    for (const path of ['common', 'organizations']) {
      assert.equal(endpointFor(path, `oid:${TENANT}/object`), TENANT);
      assert.equal(endpointFor(path, `oid:${PERSONAL}/object`), 'consumers');
    }
  });

  it('is the configured one if the tenant is unknown or the issuer serves only one', () => {
    for (const identity of ['', 'sub:abc https://issuer.example', 'oid:../object', `oid:${TENANT}x/object`])
      assert.equal(endpointFor('common', identity), 'common');
    for (const path of ['consumers', TENANT]) assert.equal(endpointFor(path, `oid:${PERSONAL}/o`), path);
  });
});
