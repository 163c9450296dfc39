/** Ten concurrent requests for what can happen only once, over HTTP on the running program, on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { onEachDatabase } from '../harness/databases.ts';
import { rounds } from '../harness/rounds.ts';
import type { Browser } from './browser.ts';
import {
  authorize,
  authorizeUrl,
  connect,
  exchange,
  read,
  refresh,
  revoke,
  tokensOf,
  walkToConsent,
} from './flow.ts';
import { openSite, type Site, WITHOUT_RADICALE } from './site.ts';

const TEN = Array.from({ length: 10 }, (_, i) => i);
const ROUNDS = rounds(2);

onEachDatabase((database, _open, place) => {
  describe(`ten at once on ${database}`, { skip: WITHOUT_RADICALE }, () => {
    let site: Site;
    before(async () => {
      site = await openSite({ databaseUrl: (await place()).databaseUrl });
    });
    after(() => site?.close());

    const user = (userId: string) => ({ userId, login: site.login });
    const winners = (answers: readonly Response[]) => answers.filter(({ status }) => status === 200);

    it('the server gives exactly one of ten concurrent exchanges the tokens', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        await authorize(site.application, user('ada'));

        const answers = await Promise.all(TEN.map(() => exchange(site.application, 'ada')));

        assert.equal(winners(answers).length, 1);
        assert.equal(answers.filter(({ status }) => status === 400).length, 9);
      }
    });

    it('the server lets exactly one of ten concurrent refreshes spend a token', async () => {
      let { refreshToken } = await connect(site.application, user('grace'));
      for (let round = 0; round < ROUNDS * 5; round++) {
        const spent = refreshToken;

        const answers = await Promise.all(TEN.map(() => refresh(site.application, spent)));

        const [winner, ...others] = winners(answers);
        assert.ok(winner && others.length === 0, `${winners(answers).length} winners`);
        // The winner's pair lives on, so that the next round can spend it.
        ({ refreshToken } = await tokensOf(winner));
      }
    });

    it('the server makes one code of ten concurrent approvals', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const browser = await walkToConsent(site.application, user('alan'));

        const answers = await Promise.all(TEN.map(() => answerAs(browser, 'approve')));

        for (const { headers } of answers) assert.match(headers.get('location') ?? '', /\?code=alan$/);
        const exchanged = await Promise.all(TEN.map(() => exchange(site.application, 'alan')));
        assert.equal(winners(exchanged).length, 1);
      }
    });

    it('the server takes either the approval or the cancellation of one request, never both', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const browser = await walkToConsent(site.application, user('both'));
        const turns = round % 2 === 0 ? (['approve', 'cancel'] as const) : (['cancel', 'approve'] as const);

        const answers = await Promise.all(TEN.map((i) => answerAs(browser, turns[i % 2] ?? 'cancel')));

        // Five requests lost and are refused, since the request is finished; the other five are redirected alike.
        const sent = answers.filter(({ status }) => status === 303);
        const places = new Set(sent.map(({ headers }) => headers.get('location')));
        assert.deepEqual([sent.length, places.size], [5, 1]);
        const approved = [...places][0]?.endsWith('?code=both');
        assert.equal((await exchange(site.application, 'both')).status, approved ? 200 : 400);
      }
    });

    it('the server makes one user of ten first calls', async () => {
      const url = authorizeUrl(site.application, { userId: 'newcomer' });

      const answers = await Promise.all(TEN.map(() => fetch(url, { redirect: 'manual' })));

      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([302]));
      const { users } = await site.program.command('user', 'list', site.application.clientId);
      const ids = (users as { user_id: string }[]).map(({ user_id: id }) => id); // the documented document
      assert.equal(ids.filter((id) => id === 'newcomer').length, 1);
    });

    it('the server leaves nothing alive when ten revocations meet ten refreshes', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const first = await connect(site.application, user('ended'));

        const mixed = TEN.map(async (i) => {
          if (i % 2 === 0) return revoke(site.application, first.accessToken);
          return refresh(site.application, first.refreshToken);
        });
        const answers = await Promise.all(mixed);

        for (const answer of winners(answers)) {
          const body = await answer.text();
          if (!body.includes('access_token')) continue;
          const { access_token: accessToken, refresh_token: refreshToken } = JSON.parse(body);
          assert.equal((await read(site.application, '/calendars', accessToken)).status, 401);
          assert.equal((await refresh(site.application, refreshToken)).status, 400);
        }
        assert.equal((await read(site.application, '/calendars', first.accessToken)).status, 401);
      }
    });
  });
});

/** Sends the form of the consent page without waiting for the page that the browser would show next. */
function answerAs(browser: Browser, answer: 'approve' | 'cancel'): Promise<Response> {
  const { url, body } = browser.page();
  const fields = [...body.matchAll(/name="(transaction|token)" value="([^"]*)"/g)];
  const form = new URLSearchParams(fields.map(([, name = '', value = '']) => [name, value]));
  return fetch(new URL(`/connect/${answer}`, url), {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    body: form,
  });
}
