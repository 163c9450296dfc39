import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createKeyring, createSealer, hashOfSecret, sealedField } from './sealing.ts';

const sealer = createSealer(Buffer.alloc(32, 1));
const contextOf = sealedField('account.credentials');
const context = contextOf('42');

describe('A sealed value', () => {
  it('opens to the original text', () => {
    for (const plain of ['', 'secret', 'é😀\0', 'x'.repeat(100_000)]) {
      assert.equal(sealer.open(sealer.seal(plain, context), context), plain);
    }
  });

  it('reveals nothing of the text, and is different each time', () => {
    const [one, two] = [sealer.seal('canary', context), sealer.seal('canary', context)];

    assert.notEqual(one, two);
    assert.ok(!Buffer.from(one.split('.')[2] ?? '', 'base64url').includes('canary'));
  });

  it('does not open under another key, and the error names both keys', () => {
    const other = createSealer(Buffer.alloc(32, 2));

    assert.throws(() => other.open(sealer.seal('secret', context), context), {
      message: `Sealed under master key ${sealer.keyId}, not ${other.keyId}`,
    });
  });

  it('does not open under another key with the same id', () => {
    const other = createSealer(Buffer.alloc(32, 2));
    const forged = other.seal('secret', context).replace(other.keyId, sealer.keyId);

    assert.throws(() => sealer.open(forged, context));
  });

  it('does not open in another row or field', () => {
    const sealed = sealer.seal('secret', context);

    for (const elsewhere of [contextOf('43'), sealedField('account.other')('42'), sealedField('')()]) {
      assert.throws(() => sealer.open(sealed, elsewhere));
    }
  });

  it('does not open if any byte was changed or cut off', () => {
    const sealed = sealer.seal('secret', context);
    const [format, keyId, box = ''] = sealed.split('.');
    const bytes = Buffer.from(box, 'base64url');
    const open = (changed: Buffer) =>
      sealer.open(`${format}.${keyId}.${changed.toString('base64url')}`, context);

    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(bytes.readUInt8(i) ^ 1, i);
      assert.throws(() => open(changed), `byte ${i}`);
    }
    for (let length = 0; length < bytes.length; length++) {
      assert.throws(() => open(bytes.subarray(0, length)), `${length} bytes`);
    }
  });

  it('is not mistaken for text that was never sealed', () => {
    for (const text of ['', 'secret', 'k1', 'k1.', `k1.${sealer.keyId}`, `k2.${sealer.keyId}.AAAA`]) {
      assert.throws(() => sealer.open(text, context));
    }
  });
});

describe('Contexts of sealed values', () => {
  it('keeps the format of contexts, so that older values open', () => {
    assert.equal(context, 'account|42|credentials');
    assert.equal(sealedField('sign_in')('t', 'google', 's'), 'sign_in|t|google|s');
  });
});

describe('A keyring', () => {
  it('opens values sealed under any of its keys, and seals under the selected one', () => {
    const ring = createKeyring(Buffer.alloc(32, 1));
    const other = createSealer(Buffer.alloc(32, 2));
    const before = ring.seal('before', context);

    const added = ring.add(Buffer.alloc(32, 2));
    const meanwhile = ring.seal('meanwhile', context);
    ring.sealUnder(added);
    const after = ring.seal('after', context);

    assert.deepEqual(
      [before, meanwhile, after].map((sealed) => ring.open(sealed, context)),
      ['before', 'meanwhile', 'after'],
    );
    assert.equal(other.open(after, context), 'after');
    assert.throws(() => other.open(meanwhile, context));
    assert.deepEqual([ring.keyId, ring.keyIds], [other.keyId, [sealer.keyId, other.keyId]]);
  });

  it('derives keys from the current master key, except for kept ones', () => {
    const ring = createKeyring(Buffer.alloc(32, 1));
    ring.keep('paging', ring.derive('paging'));

    ring.sealUnder(ring.add(Buffer.alloc(32, 2)));

    assert.deepEqual(ring.derive('paging'), sealer.derive('paging'));
    assert.deepEqual(ring.derive('cookies'), createSealer(Buffer.alloc(32, 2)).derive('cookies'));
  });
});

describe('A master key', () => {
  it('has a constant id of 16 hex digits that reveals nothing of it', () => {
    assert.match(sealer.keyId, /^[\da-f]{16}$/);
    assert.equal(createSealer(Buffer.alloc(32, 1)).keyId, sealer.keyId);
    assert.notEqual(createSealer(Buffer.alloc(32, 2)).keyId, sealer.keyId);
  });

  it('derives a different key for each purpose', () => {
    const keys = ['cookies', 'paging', 'sealing'].map((purpose) => sealer.derive(purpose).toString('hex'));

    assert.equal(new Set(keys).size, 3);
    assert.deepEqual(sealer.derive('cookies'), createSealer(Buffer.alloc(32, 1)).derive('cookies'));
    assert.equal(sealer.derive('cookies').length, 32);
  });
});

describe('The hash of a secret', () => {
  it('is SHA-256 in hex (FIPS 180-4, the example "abc")', () => {
    assert.equal(hashOfSecret('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
