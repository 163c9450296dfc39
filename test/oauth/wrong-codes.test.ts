/** Wrong codes at /token are limited by application and user, and a right code never is. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { approve, exchange, type OAuthServer, openOAuthServer, SECRET } from './oauth-server.ts';

describe('wrong codes', () => {
  let server: OAuthServer;
  beforeEach(async () => {
    server = await openOAuthServer();
  });
  afterEach(() => server.close());

  const present = async (times: number, form: (i: number) => Record<string, string>) => {
    const answers = [];
    for (let i = 0; i < times; i++) answers.push(await exchange(server.app, form(i)));
    return answers;
  };
  const statuses = (answers: readonly { statusCode: number }[]) =>
    Object.fromEntries(
      Map.groupBy(answers, ({ statusCode }) => statusCode)
        .entries()
        .map(([status, all]) => [status, all.length]),
    );
  const OTHER = { client_id: 'other', client_secret: SECRET };

  it('wrong codes of one user are answered 429 after twenty in a minute, with the seconds to wait', async () => {
    const answers = await present(22, () => ({ code: 'ada' }));

    assert.deepEqual(statuses(answers), { 400: 20, 429: 2 });
    const limited = answers.at(-1);
    assert.match(String(limited?.headers['retry-after']), /^[1-9]\d?$/);
    assert.equal(limited?.json().error, 'temporarily_unavailable');
    assert.equal(limited?.json().error_description, limited?.json().message);
  });

  it('wrong codes never keep out the right one, nor the codes of other users and applications', async () => {
    await present(25, () => ({ code: 'ada', code_verifier: 'x'.repeat(43) }));
    for (const userId of ['ada', 'ben']) await approve(server, { userId });
    await approve(server, { clientId: 'other' });

    const wrongNow = await present(1, () => ({ code: 'ada', redirect_uri: 'https://evil.example/' }));
    const right = await present(2, (i) => ({ code: ['ada', 'ben'][i] ?? '' }));
    const atOther = await present(1, () => OTHER);
    const wrongAtOther = await present(1, () => OTHER);

    assert.deepEqual(statuses(wrongNow), { 429: 1 });
    assert.deepEqual(statuses([...right, ...atOther]), { 200: 3 });
    assert.equal(wrongAtOther[0]?.json().error, 'invalid_grant');
  });

  it('different wrong codes of one application get 429 after three hundred in a minute', async () => {
    await approve(server);

    const answers = await present(310, (i) => ({ code: `nobody-${i}` }));
    const right = await exchange(server.app);

    assert.deepEqual(statuses(answers), { 400: 300, 429: 10 });
    assert.equal(right.statusCode, 200);
  });

  it('wrong codes that are right no longer count like the others', async () => {
    await approve(server, { withdrawnAt: server.clock.now });

    const answers = await present(21, () => ({ code: 'ada' }));

    assert.equal(answers[0]?.json().error, 'session_expired');
    assert.deepEqual(statuses(answers), { 400: 20, 429: 1 });
  });

  it('wrong codes as long as a body are limited as well, and remembered by their hash', async () => {
    const answers = await present(21, () => ({ code: 'x'.repeat(16_000) }));

    assert.deepEqual(statuses(answers), { 400: 20, 429: 1 });
  });
});
