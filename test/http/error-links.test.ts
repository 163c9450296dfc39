/** Refusals link to the index of errors on servers that are set so. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../../src/http/refusal.ts';
import { createServer } from '../../src/http/server.ts';
import { AUTHORIZATION, OAuthError } from '../../src/oauth/oauth-error.ts';
import { WRITING } from '../../src/writing/calendar-turn.ts';
import { recordingLog } from '../servers/recording-log.ts';

const PAGE = 'https://kalends.example/docs/errors';

async function bodiesOf(errorDocumentation: string | undefined) {
  const { log } = recordingLog();
  const app = createServer({ log, trustProxy: undefined, secure: true, errorDocumentation });
  app.get('/conflict', async () => {
    throw new ApiError(WRITING.conflict, 'Somebody else was first');
  });
  app.get('/grant', async () => {
    throw new OAuthError(AUTHORIZATION.invalid_grant, 'Invalid refresh token');
  });
  const bodies = {
    rest: (await app.inject('/conflict')).json(),
    oauth: (await app.inject('/grant')).json(),
    nowhere: (await app.inject('/nowhere')).json(),
  };
  await app.close();
  return bodies;
}

describe('links to the index of errors', () => {
  it('stand in every refusal of the REST interface, and in none that a standard has the body of', async () => {
    const { rest, oauth, nowhere } = await bodiesOf(PAGE);

    assert.equal(rest.documentation, `${PAGE}#conflict`);
    assert.equal(nowhere.documentation, `${PAGE}#not_found`);
    assert.deepEqual(Object.keys(oauth), ['error', 'error_description', 'message']);
  });

  it('stand nowhere unless they are asked for', async () => {
    const { rest, nowhere } = await bodiesOf(undefined);

    assert.ok(!('documentation' in rest) && !('documentation' in nowhere));
  });
});
