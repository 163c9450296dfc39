import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { recordingLog } from '../../../test/servers/recording-log.ts';
import { createEgress } from '../../lib/egress/egress.ts';
import { appleProvider, appSpecificPassword } from './apple-provider.ts';

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
    it(`an app-specific password is recognized in the spelling ${JSON.stringify(typed)}`, () => {
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
    it(`an app-specific password is not ${JSON.stringify(typed)}`, () => {
      assert.equal(appSpecificPassword(typed), undefined);
    });
  }
});

describe('the Apple adapter', () => {
  const readPasswordAt = (serverUrl: string) => {
    const egress = createEgress({ privateNetwork: { mode: 'deny' } });
    return appleProvider({ egress, log: recordingLog().log, now: Date.now, serverUrl }).signIn.readPassword;
  };

  it('the Apple adapter refuses passwords for iCloud that Apple cannot have created', () => {
    assert.equal(readPasswordAt('https://caldav.icloud.com')?.('Summer2026!'), undefined);
  });

  it('the Apple adapter leaves passwords for another server in Apple’s place unchanged', () => {
    for (const server of ['http://127.0.0.1:5232', 'https://icloud.com.example', 'https://noticloud.com'])
      assert.equal(readPasswordAt(server), undefined);
  });
});
