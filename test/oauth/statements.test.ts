/** The statements that applications without switches cost, which no switch of another application may add to. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachDatabase } from '../harness/databases.ts';
import { approve, callProtected, exchange, openOAuthServer, refresh } from './oauth-server.ts';

onEachDatabase((database, open) => {
  it(`an exchange has 3 statements, a refresh 2 and a call 1, on ${database}`, async () => {
    let statements = 0;
    const db = new Proxy(await open(), {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...values: unknown[]) => {
          statements += 1;
          return member.apply(target, values);
        };
      },
    });
    const server = await openOAuthServer('HS256', { db });
    const { app, clock, stores } = server;
    const terms = { now: clock.now, by: undefined };
    await stores.clients.updateClient('other', { senderConstraint: 'required', dpopNonce: 'on' }, terms);
    await approve(server);
    const count = async <T extends { readonly statusCode: number }>(request: () => Promise<T>) => {
      statements = 0;
      const answer = await request();
      assert.equal(answer.statusCode, 200);
      return { answer, statements };
    };

    const exchanged = await count(() => exchange(app));
    const { refresh_token: refreshToken } = exchanged.answer.json();
    const refreshed = await count(() => refresh(app, refreshToken));
    const { access_token: accessToken } = refreshed.answer.json();
    // The applications that require bound tokens are read again after 5 seconds.
    const calls = [await count(() => callProtected(app, accessToken))];
    for (let i = 0; i < 3; i += 1) calls.push(await count(() => callProtected(app, accessToken)));

    assert.deepEqual([exchanged.statements, refreshed.statements], [3, 2]);
    assert.deepEqual(
      calls.map((call) => call.statements),
      [2, 1, 1, 1],
    );
    await server.close();
  });
});
