/** Calendars that others shared with a user of Microsoft's, which need a permission of their own. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { completeSignIn } from '../../../sandbox/microsoft/complete-sign-in.ts';
import type { SignedInAccount } from '../../../src/calendars/calendar-provider.ts';
import type { Scope } from '../../../src/oauth/scope.ts';
import { draftOf } from '../../contract/mirrored-writes.ts';
import { ADA, APP, type MicrosoftHarness, microsoftHarness, REDIRECT_URI } from './microsoft-harness.ts';

const GRACE = { email: 'grace@contoso.test', name: 'Grace Hopper' };
const HAL = { email: 'hal@outlook.com', name: 'Hal' };
const SCOPES: readonly Scope[] = ['free-busy', 'read', 'read-write'];

describe('calendars that others shared at Microsoft', () => {
  let microsoft: MicrosoftHarness;
  before(async () => {
    microsoft = await microsoftHarness();
    const { manual } = microsoft.sandbox;
    await manual.addPerson(HAL);
    await manual.addCalendar(HAL.email, { title: 'Own', timeZone: 'UTC' });
    for (const { email } of [ADA, HAL])
      await manual.shareCalendar(email, { title: 'Hers', timeZone: 'UTC', owner: GRACE });
  });
  after(() => microsoft.close());

  const begin = (asksForShared: boolean, scope: Scope) => {
    const request = { app: APP, redirectUri: REDIRECT_URI, scope, state: 's', language: 'en' };
    return microsoft.providerWith({ asksForShared }).signIn.begin(request);
  };
  const signIn = async (
    asksForShared: boolean,
    scope: Scope,
    account = ADA.email,
  ): Promise<SignedInAccount> => {
    const { url, pending } = await begin(asksForShared, scope);
    return microsoft.provider.signIn.complete(await completeSignIn(url, { account }), pending, APP);
  };
  const listed = async (signedIn: SignedInAccount) => microsoft.open(signedIn).listCalendars();

  it('appear only if users are asked for them, and for events to be read', async () => {
    for (const asks of [false, true])
      for (const scope of SCOPES) {
        const titles = (await listed(await signIn(asks, scope))).map(({ title }) => title);

        assert.equal(titles.includes('Hers'), asks && scope !== 'free-busy', `${asks} ${scope}`);
      }
  });

  it('are read and written as the user’s own', async () => {
    const account = microsoft.open(await signIn(true, 'read-write'));
    const shared = (await account.listCalendars()).find(({ title }) => title === 'Hers');
    const time = (local: string) => ({ type: 'zoned', local, zone: 'UTC' }) as const;
    const times = { start: time('2026-11-16T09:00:00'), end: time('2026-11-16T10:00:00') };
    const draft = draftOf({ title: 'Ours', ...times });

    await account.writing.create(shared?.href ?? '', draft, 'a'.repeat(32));

    const titles: string[] = [];
    const parts = account.changesSince(shared?.href ?? '', undefined, async () => new Map());
    for await (const { changed } of parts)
      titles.push(...changed.flatMap(({ events }) => events[0]?.title ?? []));
    assert.deepEqual([shared?.access, titles], ['write', ['Ours']]);
  });

  it('leave a personal account, which is not granted them, with its own calendars', async () => {
    const signedIn = await signIn(true, 'read-write', HAL.email);

    const titles = (await listed(signedIn)).map(({ title }) => title);

    assert.equal(signedIn.calendarPermission, true);
    assert.ok(microsoft.provider.signIn.covers(signedIn.grantedScopes, 'read-write'));
    assert.deepEqual(titles, ['Own']);
  });

  it('are asked for beside the user’s own, of users and of their administrators', async () => {
    const { signIn: microsoftSignIn } = microsoft.providerWith({ asksForShared: true });
    const own = 'openid profile email offline_access Calendars';
    const expected = [
      `${own}.ReadBasic`,
      `${own}.Read Calendars.Read.Shared`,
      `${own}.ReadWrite Calendars.ReadWrite.Shared`,
    ];
    for (const [i, scope] of SCOPES.entries()) {
      const { url } = await begin(true, scope);
      const consent = microsoftSignIn.adminConsentUrl?.(APP, { redirectUri: REDIRECT_URI, scope });

      assert.equal(url.searchParams.get('scope'), expected[i]);
      assert.equal(consent?.searchParams.get('scope'), expected[i]);
    }
  });
});
