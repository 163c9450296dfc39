import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ApiError } from '../http/refusal.ts';
import { logoDrawing } from './logo-drawing.ts';

const webp = new Uint8Array();

describe('drawing logos', () => {
  it('draws one at a time in the order of the calls, even after a failure', async () => {
    const seen: string[] = [];
    const draw = logoDrawing(async (_, name) => {
      seen.push(`begin ${name}`);
      await new Promise(setImmediate);
      seen.push(`end ${name}`);
      if (name === 'a') throw new Error('broken');
      return { webp };
    });

    const all = await Promise.allSettled(['a', 'b'].map((name) => draw(webp, name)));

    assert.deepEqual(seen, ['begin a', 'end a', 'begin b', 'end b']);
    assert.deepEqual(
      all.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    );
  });

  it('refuses a call while too many are waiting, and accepts one afterwards', async () => {
    const draw = logoDrawing(async () => ({ webp }));
    const under = Array.from({ length: 5 }, () => draw(webp, 'logo'));

    await assert.rejects(
      () => draw(webp, 'logo'),
      (reason) => reason instanceof ApiError && reason.status === 503,
    );
    await Promise.all(under);
    assert.deepEqual(await draw(webp, 'logo'), { webp });
  });
});
