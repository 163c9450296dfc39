import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Account } from '../../calendars/account-store.ts';
import { toDocument, toRows, toTable } from './field.ts';
import { ACCOUNT, UNHEALTHY_ACCOUNT } from './user.ts';

const ACTIVE = { state: 'active', reason: undefined, message: undefined, since: 0 } as const;
const CALENDAR_LINK: Account = {
  accountKey: 'key',
  clientId: 'acme',
  userId: 'ada',
  provider: 'caldav',
  accountId: 'feed://calendars.example/digest',
  identity: undefined,
  provesOwner: false,
  display: 'Holidays (calendars.example)',
  grantedScopes: [],
  calendarPermission: undefined,
  health: ACTIVE,
  syncStateAt: undefined,
  addressesReadAt: undefined,
  linkedAt: 0,
  timesLinked: 1,
};
const subject = (account: Account) => ({ account, hasOwnApp: false, updates: undefined, history: [] });

it('text calls a published calendar a read-only calendar link, and JSON names its provider', () => {
  const rows = toRows(ACCOUNT, subject(CALENDAR_LINK));
  const table = toTable(UNHEALTHY_ACCOUNT, ['provider'], [{ ...CALENDAR_LINK, hasOwnApp: false }]);

  assert.deepEqual(rows[0], ['account', 'Calendar link, Read-only: Holidays (calendars.example) (active)']);
  assert.deepEqual(table, [['PROVIDER'], ['Calendar link, Read-only']]);
  assert.equal(toDocument(ACCOUNT, subject(CALENDAR_LINK)).provider, 'caldav');
});

it('text names the provider of any other account', () => {
  const account = { ...CALENDAR_LINK, accountId: 'https://calendars.example/ada', display: 'ada' };

  assert.deepEqual(toRows(ACCOUNT, subject(account))[0], ['account', 'caldav: ada (active)']);
});
