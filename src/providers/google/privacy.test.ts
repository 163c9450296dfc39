import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { wouldPublish } from './privacy.ts';

const event = (visibility?: string | null) => (visibility === undefined ? {} : { visibility });

describe('an exception at Google that moves to another series', () => {
  const cases: [exception: string | undefined, former: string | undefined, series: string | undefined][] = [
    ['private', undefined, undefined],
    ['confidential', 'public', 'default'],
    ['private', 'public', 'public'],
    [undefined, 'public', 'public'],
    ['default', 'public', 'public'],
  ];
  for (const [exception, former, series] of cases)
    it(`would be published if it is ${exception} and moves from a ${former} series to a ${series} one`, () => {
      assert.equal(wouldPublish(event(exception), event(former), event(series)), true);
    });

  const privateCases: typeof cases = [
    ['private', undefined, 'private'],
    ['private', undefined, 'confidential'],
    ['confidential', 'private', undefined],
    ['private', 'private', 'public'],
    ['public', 'private', undefined],
    [undefined, undefined, 'public'],
    [undefined, 'public', undefined],
    ['public', 'public', 'public'],
  ];
  for (const [exception, former, series] of privateCases)
    it(`stays as private if it is ${exception} and moves from a ${former} series to a ${series} one`, () => {
      assert.equal(wouldPublish(event(exception), event(former), event(series)), false);
    });
});
