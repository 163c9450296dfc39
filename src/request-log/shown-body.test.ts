import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { toStoredBody } from './shown-body.ts';

const storeBody = (body: object, received: readonly unknown[] = [], route: string | undefined = '/events') =>
  toStoredBody({ body: JSON.stringify(body), route, received });

describe('the stored body of an error', () => {
  it('the stored body of an error has its text fields and no others', () => {
    const body = { error: 'Conflict', message: 'It changed', code: 'changed', event: { summary: 'Lunch' } };

    assert.deepEqual(JSON.parse(storeBody(body) ?? ''), {
      error: 'Conflict',
      code: 'changed',
      message: 'It changed',
    });
  });

  it('the stored body of an error has nothing that the caller sent, at any depth', () => {
    const received = [
      { id: 'eventid' },
      { calendar: 'cal/ada' },
      { a: [{ b: 'secret title' }] },
      'Bearer tokentoken',
    ];
    const message = 'No eventid in cal/ada with secret title, nor tokentoken';

    const text = storeBody({ error: 'x', message: message, details: { calendar: [message] } }, received);

    const hidden = 'No … in … with …, nor …';
    assert.deepEqual(JSON.parse(text ?? ''), {
      error: 'x',
      message: hidden,
      details: { calendar: [hidden] },
    });
  });

  it('the stored body of an error has no e-mail address', () => {
    const text = storeBody({ error: 'x', message: 'The account ada.k+1@example.com is gone' });

    assert.equal(JSON.parse(text ?? '').message, 'The account … is gone');
  });

  it('the stored body of an error has only the code if the request was too large to mask or had no route', () => {
    const many = Array.from({ length: 300 }, (_, index) => `value ${index}`);
    const body = { error: 'x', message: 'There is nothing at GET /secret', code: 'not_found' };

    for (const text of [
      storeBody(body, [many]),
      toStoredBody({ body: JSON.stringify(body), route: undefined, received: [] }),
    ])
      assert.deepEqual(JSON.parse(text ?? ''), { error: 'x', code: 'not_found' });
    assert.deepEqual(JSON.parse(storeBody(body, ['y'.repeat(30_000)]) ?? ''), {
      error: 'x',
      code: 'not_found',
    });
  });

  it('the stored body of an error has at most 2 kB', () => {
    const text = storeBody({ error: 'x'.repeat(900), code: 'long', message: 'é'.repeat(1500) });

    assert.ok(Buffer.byteLength(text ?? '') <= 2000);
    assert.equal(JSON.parse(text ?? '').code, 'long');
  });

  it('a body that is not a JSON object is not stored', () => {
    for (const body of [undefined, '', '<html>', '"text"', '[1]'])
      assert.equal(toStoredBody({ body, route: '/', received: [] }), undefined);
  });
});
