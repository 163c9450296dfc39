/** The limits of failed and anonymous attempts as the program has them when nothing is configured. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type Program, startProgram } from '../harness/program.ts';
import { type Application, authorizeUrl, jsonOf, postToken } from './flow.ts';

/** An empty setting is an absent one. */
const DEFAULTS = { KALENDS_LIMIT_WRONG_SECRETS: '', KALENDS_LIMIT_AUTHORIZE: '' };
const REFRESH = { grant_type: 'refresh_token', refresh_token: 'x' };

describe('limits', () => {
  let program: Program;
  let application: Application;
  before(async () => {
    program = await startProgram({ env: DEFAULTS });
    application = { ...(await program.createClient()), url: program.url };
  });
  after(() => program?.dispose());

  it('limits stop the guessing of a secret after thirty in a minute, and never the right secret', async () => {
    const wrong = { ...application, clientSecret: 'wrong' };
    const answers: Response[] = [];
    for (let i = 0; i < 31; i++) answers.push(await postToken(wrong, REFRESH));
    const right = await postToken(application, REFRESH);

    const last = answers.pop();
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([400]));
    assert.equal(last?.status, 429);
    assert.match(last?.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
    // Authenticated: what is refused is the grant.
    assert.equal((await jsonOf(right)).error, 'invalid_grant');
  });

  it('limits stop the calls of /authorize after three hundred in a minute from one address', async () => {
    const start = () => fetch(authorizeUrl(application, { userId: 'ada' }), { redirect: 'manual' });
    const statuses: number[] = [];
    for (let i = 0; i < 30; i++) {
      const ten = await Promise.all(Array.from({ length: 10 }, start));
      statuses.push(...ten.map(({ status }) => status));
    }
    const limited = await start();

    assert.deepEqual(new Set(statuses), new Set([302]));
    assert.equal(limited.status, 429);
    assert.match(limited.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
    assert.equal(typeof (await jsonOf(limited)).message, 'string');
  });
});
