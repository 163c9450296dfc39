import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readBody } from '../http/fields.ts';
import { changeInput, EVENT_CHANGE } from './event-input.ts';

const readDetails = (body: object) => changeInput(readBody(body, EVENT_CHANGE)).details;

const [ONE, OTHER] = ['https://zoom.us/j/1', 'https://webex.com/m/2'];

describe('the conference of a request', () => {
  const table: readonly [string, object, object][] = [
    ['conferenceData.url', { conferenceData: { provider: 'zoom', url: ` ${ONE} ` } }, { conference: ONE }],
    ['conference before it', { conference: OTHER, conferenceData: { url: ONE } }, { conference: OTHER }],
    [
      'conferenceData.url beside an object without url',
      { conference: { provider: 'zoom' }, conferenceData: { url: ONE } },
      { conference: ONE },
    ],
    ['nothing, which removes it', { conference: '', conferenceData: { url: ONE } }, { conference: null }],
    [
      'a meeting of the provider before any address',
      { conference: OTHER, conferenceData: { autoGenerate: true, url: ONE } },
      { autoConference: true },
    ],
    ['unchanged without an address', { conferenceData: { provider: 'zoom' } }, {}],
  ];
  for (const [what, body, expected] of table)
    it(`is ${what}`, () => {
      assert.deepEqual(readDetails(body), expected);
    });
});
