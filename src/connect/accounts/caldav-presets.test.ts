import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readServerAddress } from '../../providers/caldav/dav/server-address.ts';
import {
  CALDAV_PRESETS,
  detectPreset,
  findPreset,
  isPattern,
  isUnfilled,
  YOUR_SERVER,
} from './caldav-presets.ts';

describe('the presets of CalDAV servers', () => {
  it('there are twelve presets with different ids', () => {
    const ids = CALDAV_PRESETS.map(({ id }) => id);

    assert.equal(new Set(ids).size, 12);
    for (const id of ids) assert.match(id, /^[a-z-]+$/);
  });

  for (const preset of CALDAV_PRESETS) {
    it(`the preset of ${preset.name} has an https address from which discovery can start`, () => {
      const filled = preset.server.replace(YOUR_SERVER, 'cloud.example.org');

      const { url } = readServerAddress(filled);

      assert.equal(url.protocol, 'https:');
      assert.equal(isUnfilled(preset.server), isPattern(preset));
      assert.equal(isUnfilled(filled), false);
      if (!isPattern(preset)) assert.equal(detectPreset(preset.server, undefined), preset);
    });

    it(`the preset of ${preset.name} links only to https pages`, () => {
      const passwordSource = preset.passwordMade;

      if (passwordSource !== undefined && 'page' in passwordSource)
        assert.equal(new URL(passwordSource.page).protocol, 'https:');
    });
  }

  for (const [typed, chosen, expected] of [
    ['https://caldav.fastmail.com/dav/', undefined, 'fastmail'],
    ['ada@FASTMAIL.com', undefined, 'fastmail'],
    ['mailbox.org', undefined, 'mailbox-org'],
    ['https://calendar.zoho.eu/caldav/', 'zoho', 'zoho'],
    ['https://cloud.example.org/remote.php/dav', undefined, 'nextcloud'],
    ['https://mail.example.org/SOGo/dav/ada/', undefined, 'sogo'],
    ['https://cloud.example.org/', 'nextcloud', 'nextcloud'],
    ['', 'gmx', 'gmx'],
    ['https://caldav.yandex.ru', 'nextcloud', 'yandex'],
    ['https://dav.example.com/', 'fastmail', undefined],
    ['https://notfastmail.com/', undefined, undefined],
    ['https://fastmail.com.evil.example/', undefined, undefined],
    ['https://', 'fastmail', undefined],
    ['no address at all', undefined, undefined],
  ] as const) {
    it(`${JSON.stringify(typed)} after choosing ${chosen ?? 'none'} is recognized as ${expected ?? 'none'}`, () => {
      assert.equal(detectPreset(typed, findPreset(chosen))?.id, expected);
    });
  }

  it('no preset has the name of a property of Object', () => {
    assert.equal(findPreset('__proto__'), undefined);
    assert.equal(findPreset(undefined), undefined);
  });
});
