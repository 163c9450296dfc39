import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { EgressError, toEgressError } from './egress-error.ts';

const failed = (code: string, name = 'Error') => Object.assign(new Error('failed'), { code, name });
const read = (failure: unknown) => {
  const { kind, detail, message, cause } = toEgressError(failure, 'a.test');
  assert.equal(cause, failure);
  return [kind, detail, message];
};

describe('Failed connections', () => {
  const rows: readonly (readonly [readonly string[], readonly (string | undefined)[]])[] = [
    [
      ['ENOTFOUND', 'ENODATA', 'EAI_AGAIN'],
      ['unreachable', 'host_unknown', 'a.test is not a known host name'],
    ],
    [
      ['ECONNREFUSED', 'EHOSTUNREACH'],
      ['unreachable', 'connection_refused', 'a.test could not be reached'],
    ],
    [
      ['ECONNRESET', 'UND_ERR_SOCKET', ''],
      ['unreachable', undefined, 'a.test could not be reached'],
    ],
    [
      ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'],
      ['timeout', 'connection_refused', 'a.test did not respond in time'],
    ],
    [
      ['UND_ERR_ABORTED', 'UND_ERR_BODY_TIMEOUT'],
      ['timeout', undefined, 'a.test did not respond in time'],
    ],
    [
      ['ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO'],
      ['tls', 'no_tls', 'a.test does not speak https at this port'],
    ],
    [
      ['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID'],
      ['tls', 'certificate', 'a.test has no valid TLS certificate'],
    ],
  ];
  for (const [codes, expected] of rows)
    it(`${codes[0]} is ${expected[1] ?? expected[0]}: ${expected[2]}`, () => {
      for (const code of codes) {
        assert.deepEqual(read(failed(code)), expected, code);
        // One failure for each address; the first counts.
        assert.deepEqual(read(new AggregateError([failed(code), failed('EPROTO')])), expected, code);
      }
    });

  it('recognizes an abort as a timeout by its name', () => {
    for (const name of ['AbortError', 'TimeoutError'])
      assert.deepEqual(read(failed('', name)), ['timeout', undefined, 'a.test did not respond in time']);
    assert.equal(toEgressError('text', 'a.test').kind, 'unreachable');
    assert.equal(toEgressError(new AggregateError([]), 'a.test').kind, 'unreachable');
  });

  it('finds an EgressError among the causes', () => {
    const error = new EgressError('busy', 'Too many');
    assert.equal(
      toEgressError(new Error('outer', { cause: new Error('inner', { cause: error }) }), 'a'),
      error,
    );
  });
});
