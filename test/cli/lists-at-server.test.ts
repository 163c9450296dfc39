/** Lists with `--server`: the same rows and order as on the database, on any number of pages. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { runHere } from '../harness/command-here.ts';
import { type Program, startProgram } from '../harness/program.ts';

const KEY = 'environment-key-of-32-characters-or-more';

describe('a list at a server', () => {
  let program: Program;
  const many = Array.from({ length: 205 }, (_, i) => `many${i}`);

  const here = (...args: string[]) => runHere(args, { env: { KALENDS_DATA_DIR: program.dataDir } });
  const there = (...args: string[]) =>
    runHere([...args, '--server', program.url], { env: { KALENDS_ADMIN_KEY: KEY } });

  before(async () => {
    program = await startProgram({ env: { KALENDS_ADMIN_KEY: KEY, KALENDS_ROLE: 'web' } });
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: program.dataDir }));
    const fields = { displayName: undefined, webhookUrl: undefined, redirectUri: 'https://a.example/' };
    for (const id of ['empty', ...many])
      await storage.clients.createClient({ ...fields, createdAt: 1, clientId: id, name: id }, id, undefined);
    for (const id of ['z', 'a', ...many]) await storage.users.loadOrCreateUser('many0', id, Date.now());
    await storage.close();
  });
  after(() => program.dispose());

  for (const args of [
    ['client', 'list'],
    ['user', 'list'],
    ['user', 'list', 'many0'],
  ])
    for (const format of [[], ['--json']])
      it(`has every page of ${args.join(' ')} ${format} in the order of the database`, async () => {
        const { stdout } = await there(...args, ...format);
        assert.equal(stdout, (await here(...args, ...format)).stdout);
        for (const id of many) assert.ok(stdout.includes(id));
      });

  it('has users in the order of their ids, with more rows than a page of the API', async () => {
    const list = async (...args: string[]) =>
      JSON.parse((await there('user', 'list', 'many0', '--json', ...args)).stdout);
    const page = await list('--limit', '206');
    const last = await list('--limit', '1000', '--after', page.next);
    const ids = [page, last].map(({ users }) => users.map((user: { user_id: string }) => user.user_id));
    assert.deepEqual(ids, [['a', ...many.toSorted()], ['z']]);
    assert.equal(last.next, null);
  });

  it('says that an application has no users, or that none match', async () => {
    const none = await there('user', 'list', 'empty');
    assert.equal(none.stdout, 'No users yet. The first request to /authorize creates one.\n');
    const unmatched = await there('user', 'list', '--search', 'nobody');
    assert.equal(unmatched.stdout, 'No users match these options.\n');
  });
});
