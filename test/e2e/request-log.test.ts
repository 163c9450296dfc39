/** The request log of the shipped program: an orderly stop loses no entries, and a kill only a few. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { onEachDatabase } from '../harness/databases.ts';
import { type Program, startProgram } from '../harness/program.ts';
import { until } from '../harness/until.ts';

type Listed = { readonly request_id: string; readonly status: number; readonly route: string | null };

/** Sends a request that is refused and returns its id. */
async function refused({ url }: Program): Promise<string> {
  const answer = await fetch(`${url}/calendars`);
  assert.equal(answer.status, 401);
  return answer.headers.get('x-request-id') ?? '';
}

async function listed(program: Program, ...options: string[]): Promise<readonly Listed[]> {
  const { requests } = await program.command('requests', 'list', '--limit', '1000', ...options);
  return requests as readonly Listed[]; // The command documents this shape.
}

onEachDatabase((name, _, place) => {
  describe(`the request log of the program on ${name}`, () => {
    let program: Program;
    before(async () => {
      program = await startProgram({ databaseUrl: (await place()).databaseUrl, env: KEY });
    });
    after(() => program?.dispose());

    it('the request log of the program has what was answered up to an orderly stop', async () => {
      const ids: string[] = [];
      for (let index = 0; index < 20; index++) ids.push(await refused(program));
      await program.stop();

      const kept = (await listed(program)).map(({ request_id }) => request_id);
      assert.deepEqual(kept.toSorted(), ids.toSorted());
      assert.deepEqual((await listed(program, '--request', ids[3] ?? '')).length, 1);
    });

    it('the request log of the program loses the last second to a kill, and nothing else', async () => {
      const earlier = (await listed(program)).map(({ request_id }) => request_id);
      const { clientId } = await program.createClient();
      await program.start();
      const before: string[] = [];
      for (let index = 0; index < 20; index++) before.push(await refused(program));
      await until('the entries are written', async () => {
        const written = new Set((await listed(program)).map(({ request_id }) => request_id));
        return before.every((id) => written.has(id));
      });
      const last = await refused(program);
      await program.kill();
      await program.start();
      const after = await refused(program);
      await program.stop();

      const kept = (await listed(program)).map(({ request_id }) => request_id);
      assert.deepEqual(
        kept.filter((id) => id !== last).toSorted(),
        [...earlier, ...before, after].toSorted(),
      );
      assert.equal((await program.command('client', 'show', clientId)).client_id, clientId);
    });
  });
});

describe('the request log of the program that is switched off', () => {
  it('the request log of the program keeps nothing when it is switched off', async () => {
    const program = await startProgram({ env: { ...KEY, KALENDS_REQUEST_LOG: 'off' } });
    try {
      await refused(program);
      await program.stop();

      assert.deepEqual(await listed(program), []);
    } finally {
      await program.dispose();
    }
  });
});

/** Each data folder has its own master key; here all can share one. */
const KEY = { KALENDS_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
