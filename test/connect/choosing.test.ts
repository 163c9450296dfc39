/** Choosing which of an account's calendars the application gets, on /connect/calendars. On SQLite. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { connected, everyAccount } from './approvals.ts';
import { type Answer, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';
import { startPushed } from './pushing.ts';

let harness: Harness;
before(async () => {
  harness = await openConnect();
});
after(() => harness.close());
let users = 0;
beforeEach(() => {
  users += 1;
});
const userId = () => `chooser-${users}`;
const calendarKey = (name: string) => `${userId()}-${name}`;

/** The user's account, with two calendars that were listed. */
async function listed() {
  const [account] = await everyAccount(harness, userId());
  const key = account?.accountKey ?? '';
  await harness.db.write('UPDATE account SET listed_at = 1 WHERE account_key = :key', { key });
  for (const name of ['home', 'work']) await addCalendar(key, name);
  return key;
}

async function addCalendar(key: string, name: string): Promise<void> {
  await harness.db.write(
    `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original, synced_at)
     VALUES (:id, :key, :name, 0, :name, 'UTC', 'write', '{}', 1)`,
    { id: calendarKey(name), key, name },
  );
}

const pathOf = (page: Answer, key: string) =>
  `/connect/calendars?transaction=${transactionOf(page)}&account=${key}`;

/** The form as it is filled in: the calendars that are ticked, and whether later ones stay out. */
const filledIn = ({ body }: Answer) => ({
  ticked: [...body.matchAll(/name="calendar" value="([^"]+)" checked/g)].map(([, key]) => key).toSorted(),
  onlyThese: /name="only_these" value="yes" checked/.test(body),
});

describe('choosing calendars', () => {
  it('choosing calendars begins with all of them, and later ones in', async () => {
    const { browser } = await connected(harness, { userId: userId() });
    const key = await listed();
    const page = await browser.start({ user_id: userId() });

    const form = await browser.get(pathOf(page, key));

    assert.match(page.body, new RegExp(`href="/connect/calendars\\?[^"]*account&#61;${key}"`));
    assert.deepEqual(filledIn(form), {
      ticked: [calendarKey('home'), calendarKey('work')],
      onlyThese: false,
    });
  });

  it('choosing calendars leaves out what is not ticked, and is shown so again', async () => {
    const { browser } = await connected(harness, { userId: userId() });
    const key = await listed();
    const path = pathOf(await browser.start({ user_id: userId() }), key);
    const sent = { calendar: calendarKey('work'), only_these: 'yes' };

    const saved = await browser.submit(await browser.get(path), '/connect/calendars', sent);
    const after = await browser.get(path);
    const back = await browser.submit(after, '/connect/calendars', {
      calendar: calendarKey('home'),
      only_these: '',
    });

    assert.deepEqual([saved.status, back.status], [303, 303]);
    assert.match(saved.location, /^\/authorize\?.*transaction=/);
    assert.deepEqual(filledIn(after), { ticked: [calendarKey('work')], onlyThese: true });
    assert.deepEqual(filledIn(await browser.get(path)), { ticked: [calendarKey('home')], onlyThese: false });
  });

  it('choosing calendars leaves one that appeared since the page was made as it is', async () => {
    const { browser } = await connected(harness, { userId: userId() });
    const key = await listed();
    const path = pathOf(await browser.start({ user_id: userId() }), key);
    const form = await browser.get(path);
    await addCalendar(key, 'new');

    await browser.submit(form, '/connect/calendars', { calendar: calendarKey('work'), only_these: '' });

    assert.deepEqual(filledIn(await browser.get(path)).ticked, [calendarKey('new'), calendarKey('work')]);
  });

  it('choosing calendars can leave out all of them', async () => {
    const { browser } = await connected(harness, { userId: userId() });
    const path = pathOf(await browser.start({ user_id: userId() }), await listed());

    await browser.submit(await browser.get(path), '/connect/calendars', { only_these: '' });

    assert.deepEqual(filledIn(await browser.get(path)).ticked, []);
  });

  it('choosing calendars is possible before an account is allowed', async () => {
    const browser = new Browser(harness);
    const page = await browser.link(await browser.start({ user_id: userId() }));
    const key = await listed();

    const form = await browser.get(pathOf(page, key));
    await browser.submit(form, '/connect/calendars', { calendar: calendarKey('home'), only_these: '' });

    assert.deepEqual(filledIn(await browser.get(pathOf(page, key))).ticked, [calendarKey('home')]);
  });

  it('choosing calendars is possible where the application says who the user is', async () => {
    await connected(harness, { userId: userId() });
    const key = await listed();
    const browser = new Browser(harness);

    const form = await browser.get(pathOf(await startPushed(harness, browser, { user_id: userId() }), key));

    assert.equal(form.status, 200);
    assert.equal(filledIn(form).ticked.length, 2);
  });

  it('choosing calendars is refused for an account that was not proved, and shows nothing of it', async () => {
    const { browser } = await connected(harness, { userId: userId() });
    const key = await listed();
    const stranger = new Browser(harness);
    const page = await stranger.start({ user_id: userId() });
    const token = /name="token" value="([\w-]+)"/.exec(page.body)?.[1] ?? '';

    const shown = await stranger.get(pathOf(page, key));
    const sent = await stranger.post('/connect/calendars', {
      transaction: transactionOf(page),
      token,
      account: key,
    });

    assert.deepEqual([shown.status, sent.status], [403, 403]);
    assert.doesNotMatch(page.body, /\/connect\/calendars/);
    assert.doesNotMatch(shown.body, /home|>work</);
    const own = await browser.get(pathOf(await browser.start({ user_id: userId() }), key));
    assert.equal(filledIn(own).ticked.length, 2);
  });

  it('choosing calendars takes no calendar of another account', async () => {
    const { browser } = await connected(harness, { userId: userId() });
    const key = await listed();
    const theirs = calendarKey('home');
    users += 1;
    const other = await connected(harness, { userId: userId() });
    const otherKey = await listed();
    const page = await other.browser.start({ user_id: userId() });

    const form = await other.browser.get(pathOf(page, otherKey));
    await other.browser.submit(form, '/connect/calendars', { calendar: theirs, only_these: '' });

    const { ticked } = filledIn(await other.browser.get(pathOf(page, otherKey)));
    assert.deepEqual(ticked, []);
    const untouched = await browser.get(
      pathOf(await browser.start({ user_id: `chooser-${users - 1}` }), key),
    );
    assert.equal(filledIn(untouched).ticked.length, 2);
  });

  it('choosing calendars leads back where there is no such account, or none of its calendars is known', async () => {
    const { browser } = await connected(harness, { userId: userId() });
    const [account] = await everyAccount(harness, userId());
    const page = await browser.start({ user_id: userId() });
    for (const key of [account?.accountKey ?? '', 'nobody', '', '%00']) {
      const answer = await browser.get(pathOf(page, key));

      assert.equal(answer.status, 303, key);
      assert.match(answer.location, /^\/authorize\?/);
    }
    assert.doesNotMatch(page.body, /\/connect\/calendars/);
  });
});
