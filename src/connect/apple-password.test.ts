import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { appSpecificPassword } from './apple-password.ts';

describe('an app-specific password', () => {
  for (const typed of [
    'abcd-efgh-ijkl-mnop',
    'abcdefghijklmnop',
    ' ABCD-EFGH-IJKL-MNOP ',
    'abcd efgh ijkl mnop',
    'abcd\u2011efgh\u2011ijkl\u2011mnop',
    'abcd\u2013efgh\u2014ijkl\u2212mnop',
    'Abcd\u00a0efgh\u200bijkl\u00admnop',
    'ａｂｃｄ－ｅｆｇｈ－ｉｊｋｌ－ｍｎｏｐ',
  ]) {
    it(`is recognised in the spelling ${JSON.stringify(typed)}`, () => {
      assert.equal(appSpecificPassword(typed), 'abcd-efgh-ijkl-mnop');
    });
  }

  for (const typed of [
    '',
    'Summer2026!',
    'abcd-efgh-ijkl-mno',
    'abcd-efgh-ijkl-mnopq',
    'abcd-efgh-ijkl-mn0p',
    'abcd-efgh-ijkl-mnö p',
    '123456',
  ]) {
    it(`is not ${JSON.stringify(typed)}`, () => {
      assert.equal(appSpecificPassword(typed), undefined);
    });
  }
});
