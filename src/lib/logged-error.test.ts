import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { loggedError } from './logged-error.ts';

describe('an error in the log', () => {
  const renderError = (error: Error) => JSON.stringify(loggedError(error));

  it('removes e-mail addresses from URLs, server messages, causes and fields', () => {
    for (const address of ['ada.l+x@people.example', 'ada%40people.example', 'jürgen@bücher.example']) {
      const cause = new Error(`/dav/calendars/${address}/work/ was answered with 503`);
      const error = Object.assign(new Error(`Nobody is <${address}>`, { cause }), {
        detail: { of: [address] },
      });

      const text = renderError(error);

      assert.ok(!text.includes(address), text);
      assert.match(text, /Nobody is <\[e-mail address\]>.*\/dav\/calendars\/\[e-mail address\]\/work\//);
    }
  });

  it('keeps the type, the message and the stack', () => {
    const { type, message, stack } = loggedError(new TypeError('x.y is no function')) as Record<
      string,
      string
    >;

    assert.deepEqual([type, message], ['TypeError', 'x.y is no function']);
    assert.match(stack ?? '', /logged-error\.test\.ts/);
  });

  it('logs an error with circular fields', () => {
    const error = Object.assign(new Error('Round'), { self: {} as object });
    error.self = { error };

    assert.match(renderError(error), /Round/);
  });

  it('logs only the type of a thrown value that is not an Error', () => {
    assert.deepEqual(loggedError('ada@people.example'), { type: 'string' });
    assert.deepEqual(loggedError(undefined), { type: 'undefined' });
  });

  it('cuts long errors in the log', () => {
    assert.ok(renderError(new Error('a.'.repeat(200_000))).length < 30_000);
  });
});
