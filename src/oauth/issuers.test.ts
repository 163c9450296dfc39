import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createIssuer, FIXED_ALGORITHMS, ISSUER_NAMES, issuerOf, issuerProblem } from './issuers.ts';
import { serverMetadata } from './server-metadata.ts';

const URL_OF_SERVER = 'https://kalends.example';
const [DEFAULT, STRICT] = [createIssuer('default', URL_OF_SERVER), createIssuer('fapi2', URL_OF_SERVER)];

describe('an issuer', () => {
  it('is the default one, or the strict one with a prefix, keys and iss of its own', () => {
    assert.deepEqual(ISSUER_NAMES, ['default', 'fapi2']);
    assert.deepEqual(FIXED_ALGORITHMS, ['ES256']);
    assert.deepEqual(DEFAULT, {
      ...{ name: 'default', publicUrl: URL_OF_SERVER, url: URL_OF_SERVER, prefix: '' },
      ...{ keysPath: '/.well-known/jwks.json', tokenAlgorithm: undefined, hasIss: false, isStrict: false },
    });
    assert.deepEqual(STRICT, {
      ...{ name: 'fapi2', publicUrl: URL_OF_SERVER, url: `${URL_OF_SERVER}/fapi2`, prefix: '/fapi2' },
      ...{ keysPath: '/fapi2/jwks.json', tokenAlgorithm: 'ES256', hasIss: true, isStrict: true },
    });
  });

  it('has the applications of its profile', () => {
    assert.deepEqual([issuerOf({}), issuerOf({ profile: 'fapi2' })], ['default', 'fapi2']);
    assert.equal(issuerProblem({}, DEFAULT), undefined);
    assert.equal(issuerProblem({ profile: 'fapi2' }, STRICT), undefined);
    assert.equal(
      issuerProblem({ profile: 'fapi2' }, DEFAULT),
      `This application belongs to the issuer ${URL_OF_SERVER}/fapi2, not to ${URL_OF_SERVER}`,
    );
    assert.match(issuerProblem({}, STRICT) ?? '', /^This application belongs to the issuer \S+example, not/);
  });

  it('has the address of its keys in its metadata if they are public', () => {
    const keys = (...of: Parameters<typeof serverMetadata>) => serverMetadata(...of).jwks_uri;

    assert.equal(keys(DEFAULT, 'HS256'), undefined);
    assert.equal(keys(DEFAULT, 'ES256'), `${URL_OF_SERVER}/.well-known/jwks.json`);
    for (const algorithm of ['HS256', 'ES256'] as const)
      assert.equal(keys(STRICT, algorithm), `${URL_OF_SERVER}/fapi2/jwks.json`);
  });
});
