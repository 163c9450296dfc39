import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { shownBody } from './shown-body.ts';

const shown = (body: object, received: readonly unknown[] = [], route: string | undefined = '/events') =>
  shownBody({ body: JSON.stringify(body), route, received });

describe('what is kept of a refusal’s body', () => {
  it('what is kept of a refusal’s body are its words, and no other field', () => {
    const body = { error: 'Conflict', message: 'It changed', code: 'changed', event: { summary: 'Lunch' } };

    assert.deepEqual(JSON.parse(shown(body) ?? ''), {
      error: 'Conflict',
      code: 'changed',
      message: 'It changed',
    });
  });

  it('what is kept of a refusal’s body has nothing that the caller sent, however deep', () => {
    const received = [
      { id: 'eventid' },
      { calendar: 'cal/ada' },
      { a: [{ b: 'secret title' }] },
      'Bearer tokentoken',
    ];
    const said = 'No eventid in cal/ada with secret title, nor tokentoken';

    const text = shown({ error: 'x', message: said, details: { calendar: [said] } }, received);

    const hidden = 'No … in … with …, nor …';
    assert.deepEqual(JSON.parse(text ?? ''), {
      error: 'x',
      message: hidden,
      details: { calendar: [hidden] },
    });
  });

  it('what is kept of a refusal’s body names no mail address', () => {
    const text = shown({ error: 'x', message: 'The account ada.k+1@example.com is gone' });

    assert.equal(JSON.parse(text ?? '').message, 'The account … is gone');
  });

  it('what is kept where more was sent than can be looked for, or where there is no route, is the code', () => {
    const many = Array.from({ length: 300 }, (_, index) => `value ${index}`);
    const body = { error: 'x', message: 'There is nothing at GET /secret', code: 'not_found' };

    for (const text of [
      shown(body, [many]),
      shownBody({ body: JSON.stringify(body), route: undefined, received: [] }),
    ])
      assert.deepEqual(JSON.parse(text ?? ''), { error: 'x', code: 'not_found' });
    assert.deepEqual(JSON.parse(shown(body, ['y'.repeat(30_000)]) ?? ''), { error: 'x', code: 'not_found' });
  });

  it('what is kept of a refusal’s body is at most 2 kB', () => {
    const text = shown({ error: 'x'.repeat(900), code: 'long', message: 'é'.repeat(1500) });

    assert.ok(Buffer.byteLength(text ?? '') <= 2000);
    assert.equal(JSON.parse(text ?? '').code, 'long');
  });

  it('what is no JSON object is not kept', () => {
    for (const body of [undefined, '', '<html>', '"text"', '[1]'])
      assert.equal(shownBody({ body, route: '/', received: [] }), undefined);
  });
});
