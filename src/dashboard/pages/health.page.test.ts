import assert from 'node:assert/strict';
import { it } from 'node:test';

import { accountKind, healthHistory } from './health.page.ts';

it('a published calendar is called a read-only calendar link, any other account by its provider', () => {
  const link = { provider: 'caldav', accountId: 'feed://calendars.example/digest' } as const;
  const account = { provider: 'caldav', accountId: 'https://calendars.example/ada' } as const;

  assert.equal(accountKind(link), 'Calendar link, Read-only');
  assert.equal(accountKind(account), 'CalDAV');
});

it('the history shows that a reused refresh token ended the access to an account', () => {
  const event = { accountKey: 'a', happened: 'refresh_reused', at: 0 } as const;

  const page = healthHistory([{ ...event, reason: undefined, message: undefined }], false).markup;

  assert.match(page, /Access ended: an old refresh token was used again/);
});
