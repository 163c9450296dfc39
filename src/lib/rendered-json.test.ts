import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';

import {
  asciiJson,
  readMembers,
  readObject,
  renderList,
  renderMember,
  renderMembers,
  renderObject,
  toRenderedMembers,
  withoutMembers,
} from './rendered-json.ts';

const NAMES = ['id', 'start', 'title', 'custom', 'tags'] as const;
type Fields = { readonly [K in (typeof NAMES)[number]]?: unknown };
const fields: fc.Arbitrary<Fields> = fc
  .shuffledSubarray([...NAMES])
  .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, fc.jsonValue()]))));

describe('rendered JSON', () => {
  it('joins members as if all had been rendered together', () => {
    const joined = renderObject(
      renderMembers({ a: 1, gone: undefined }),
      renderMember('list', renderList([renderObject({ b: 'x' }), renderObject({})])),
      renderMember('original', renderObject({ c: null })),
    );

    assert.equal(joined, JSON.stringify({ a: 1, list: [{ b: 'x' }, {}], original: { c: null } }));
    assert.equal(renderObject(), '{}');
    assert.equal(renderList([]), '[]');
  });

  it('splits an object into members and joins them again', () => {
    fc.assert(
      fc.property(fields, (value) => {
        const text = renderObject(value);
        assert.equal(text, JSON.stringify(value));
        assert.equal(renderObject(toRenderedMembers(text)), text);
        assert.deepEqual(readMembers(toRenderedMembers(text)), readObject(text));
      }),
    );
  });

  it('omits members at any position, whatever the others contain', () => {
    fc.assert(
      fc.property(fields, fc.subarray([...NAMES]), (value, names) => {
        const rest = Object.entries(value).filter(([name]) => !names.some((one) => one === name));
        assert.equal(
          withoutMembers(renderMembers(value), new Set(names)),
          renderMembers(Object.fromEntries(rest)),
        );
      }),
    );
  });

  it('distinguishes a member from text that looks like one', () => {
    const odd = {
      start: 1,
      title: '"id":1,\\"start\\":{"',
      custom: { id: ['}', { start: '\\' }] },
      tags: '\\\\',
      id: 'x',
    };

    const members = withoutMembers(renderMembers(odd), new Set(['id', 'start'] as const));

    const { id: _, start: __, ...others } = odd;
    assert.equal(members, renderMembers(others));
  });

  it('renders half a surrogate pair as U+FFFD, and no other text differently', () => {
    const text = renderObject({ title: 'Party \ud83d', custom: { 'a\udc00': ['\ud83d\ud83d\ude00'] } });

    assert.equal(text, '{"title":"Party \ufffd","custom":{"a\ufffd":["\ufffd😀"]}}');
    assert.equal(asciiJson('cut \ud83d'), '"cut \\ufffd"');
    for (const title of ['\\ud83d', '\\\\ud83d', '😀\n"\\', '\\udder'])
      assert.equal(renderObject({ title }), JSON.stringify({ title }));
  });

  it('renders ASCII for a header', () => {
    const text = asciiJson({ message: 'Grüße 👋' });

    assert.match(text, /^[\x20-\x7e]+$/);
    assert.deepEqual(JSON.parse(text), { message: 'Grüße 👋' });
  });
});
