import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { comparableHref } from './href.ts';

const collection = new URL('https://dav.example.com/ada/work/');

describe('comparing hrefs', () => {
  const equal: [string, string][] = [
    ['/ada/work/a.ics', 'https://dav.example.com/ada/work/a.ics'],
    ['/ada/work/a.ics', 'a.ics'],
    ['/ada/work/%61.ics', '/ada/work/a.ics'],
    ['/ada/work/%7Ea.ics', '/ada/work/~a.ics'],
    ['/ada/work/%c3%a9.ics', '/ada/work/%C3%A9.ics'],
    ['/ada/work/é.ics', '/ada/work/%C3%A9.ics'],
    ['/ada/work/a b.ics', '/ada/work/a%20b.ics'],
    ['/ada/work/50%.ics', '/ada/work/50%25.ics'],
    ['/ada/work/./a.ics', '/ada/work/a.ics'],
  ];
  for (const [one, other] of equal)
    it(`the comparison of hrefs treats ${one} and ${other} as equal`, () => {
      assert.equal(comparableHref(one, collection), comparableHref(other, collection));
      assert.ok(comparableHref(one, collection) !== undefined);
    });

  const different: [string, string][] = [
    ['/ada/work/a%2Fb.ics', '/ada/work/a/b.ics'],
    ['/ada/work/a%3Fb.ics', '/ada/work/a?b.ics'],
    ['/ada/work/a%40b.ics', '/ada/work/a@b.ics'],
    ['/ada/work/A.ics', '/ada/work/a.ics'],
    ['/ada/work/%2561.ics', '/ada/work/a.ics'],
  ];
  for (const [one, other] of different)
    it(`the comparison of hrefs distinguishes ${one} and ${other}`, () => {
      assert.notEqual(comparableHref(one, collection), comparableHref(other, collection));
    });

  it('the comparison of hrefs ignores hrefs of another host', () => {
    for (const href of [
      'https://evil.test/ada/work/a.ics',
      '//evil.test/a.ics',
      'http://dav.example.com:81/a',
    ])
      assert.equal(comparableHref(href, collection), undefined, href);
  });
});
