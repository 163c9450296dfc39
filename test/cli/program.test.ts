/** Tests the command line as a whole, and commands that have no group. */
import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { COMMANDS } from '../../src/cli/cli.ts';
import { nodeVersionProblem } from '../../src/cli/node-version.js';
import { openSqlite } from '../../src/store/drivers/sqlite-driver.ts';
import { type CommandLine, CREATE, openCommandLine } from './cli-run.ts';

type Check = { name: string; status: string; message: string };

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli.close());

describe('the command line', () => {
  it('the command line lists every command when none, or help, is given', async () => {
    for (const args of [[], ['help'], ['--help']]) {
      const { exitCode, stdout } = await cli.run(args);

      assert.equal(exitCode, 0);
      for (const { name } of COMMANDS) assert.match(stdout, new RegExp(`^  ${name} `, 'm'));
    }
  });

  it('the command line prints foreign text without control characters, and completely in JSON', async () => {
    const name = 'no\u001b]0;title\u0007 \u009b31m\u202e\u2066';
    const { stderr } = await cli.run([name]);
    const { stdout } = await cli.run([name, '--json']);

    for (const output of [stderr, stdout])
      assert.doesNotMatch(output, /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u);
    assert.match(stderr, /"no\ufffd\]0;title\ufffd \ufffd31m/);
    assert.ok(JSON.parse(stdout).message.includes(name));
  });

  for (const { name, options = [] } of COMMANDS) {
    it(`the command line shows every option of ${name} with --help, in words and as JSON, and does nothing`, async () => {
      const { exitCode, stdout } = await cli.run([...name.split(' '), '--help']);
      const { document } = await cli.json(...name.split(' '), '--help');

      assert.equal(exitCode, 0);
      for (const option of [...options, { name: 'json' }])
        assert.match(stdout, new RegExp(`--${option.name}\\b`));
      assert.equal(document.command, name);
      assert.deepEqual(cli.served, []);
    });
  }

  it('the command line prints its version, as text and as JSON', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));

    assert.equal((await cli.run(['--version'])).stdout, `${version}\n`);
    assert.deepEqual((await cli.json('--version')).document, { version, node: process.versions.node });
  });

  it('the command line refuses an unknown command with exit code 2', async () => {
    for (const args of [['clinet'], ['client'], ['client', 'remove'], ['help', 'nothing']]) {
      const { exitCode, stderr } = await cli.run(args);

      assert.equal(exitCode, 2, args.join(' '));
      assert.match(stderr, /^kalends: .+[.?]\n$/);
    }
  });

  it('the command line names every problem of the configuration', async () => {
    const bad = await openCommandLine({ KALENDS_PORT: 'x', KALENDS_URL: 'nowhere' });

    const { exitCode, stderr } = await bad.run(['client', 'list']);
    await bad.close();

    assert.equal(exitCode, 1);
    assert.match(stderr, /KALENDS_PORT/);
    assert.match(stderr, /KALENDS_URL/);
  });

  it('the command line refuses Node older than 26 and no newer one', () => {
    assert.match(nodeVersionProblem('20.20.2') ?? '', /needs Node\.js 26\.1 or newer, and this is 20\.20\.2/);
    assert.match(nodeVersionProblem('9.0.0') ?? '', /9\.0\.0/);
    assert.match(nodeVersionProblem('26.0.0') ?? '', /26\.0\.0/);
    assert.equal(nodeVersionProblem('26.1.0'), undefined);
    assert.equal(nodeVersionProblem('100.1.0'), undefined);
  });
});

describe('kalends serve', () => {
  it('kalends serve serves in the role of --role, else of KALENDS_ROLE', async () => {
    await cli.run(['serve']);
    await cli.run(['serve', '--role=worker', '--json']);

    assert.deepEqual(
      cli.served.map(({ config, json }) => [config.role, json]),
      [
        ['all', false],
        ['worker', true],
      ],
    );
  });

  it('kalends serve refuses an unknown role', async () => {
    assert.equal((await cli.run(['serve', '--role', 'boss'])).exitCode, 2);
    assert.deepEqual(cli.served, []);
  });
});

describe('kalends keys rotate', () => {
  it('kalends keys rotate makes another key the active one each time', async () => {
    const { document: first } = await cli.json('keys', 'rotate');
    const { document: second } = await cli.json('keys', 'rotate');

    assert.equal(first.algorithm, 'HS256');
    assert.notEqual(first.kid, second.kid);
  });
});

describe('kalends webhook rotate-keys', () => {
  it('kalends webhook rotate-keys creates a new key each time, and prints until when the previous one signs', async () => {
    const { document: first } = await cli.json('webhook', 'rotate-keys');
    const { document: second } = await cli.json('webhook', 'rotate-keys', '--overlap', '0');
    const { stdout } = await cli.run(['webhook', 'rotate-keys', '--overlap', '2d']);

    assert.notEqual(first.id, second.id);
    const days = (Date.parse(String(first.previous_retires_at)) - Date.now()) / 86_400_000;
    assert.ok(days > 6.9 && days <= 7, `${days} days`);
    assert.ok(Date.parse(String(second.previous_retires_at)) <= Date.now());
    assert.match(stdout, /^Webhooks are signed with key whk_\S{12} from now on\. .*also signs until /);
  });

  it('kalends webhook rotate-keys refuses an overlap that is no duration', async () => {
    assert.equal((await cli.run(['webhook', 'rotate-keys', '--overlap', 'long'])).exitCode, 2);
  });
});

describe('kalends backup', () => {
  it("kalends backup writes a copy, its owner's alone, that a data folder with the same key opens", async () => {
    const { document } = await cli.json(...CREATE);
    const file = path.join(cli.dataDir, 'copy.db');

    const { exitCode } = await cli.json('backup', file);

    assert.equal(exitCode, 0);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const restored = await openCommandLine({
      KALENDS_MASTER_KEY: (await readFile(path.join(cli.dataDir, 'master.key'), 'utf8')).trim(),
    });
    await writeFile(path.join(restored.dataDir, 'kalends.db'), await readFile(file));
    assert.equal((await restored.json('client', 'show', String(document.client_id))).exitCode, 0);
    await restored.close();
  });

  it('kalends backup copies one moment of a database that is being written to', async () => {
    await cli.json('client', 'list');
    const db = openSqlite(path.join(cli.dataDir, 'kalends.db'));
    let writes = 0;
    let writing = true;
    const writer = (async () => {
      // Each write makes two settings: a copy with only one of a pair would mix two moments.
      while (writing) {
        await db.transaction(async (tx) => {
          writes += 1;
          await tx.all('INSERT INTO setting (name, value) VALUES (:name, :value)', {
            name: `a${writes}`,
            value: '',
          });
          await tx.all('INSERT INTO setting (name, value) VALUES (:name, :value)', {
            name: `b${writes}`,
            value: '',
          });
        });
      }
    })();

    const file = path.join(cli.dataDir, 'copy.db');
    const { exitCode } = await cli.json('backup', file);
    writing = false;
    await writer;
    await db.close();

    assert.equal(exitCode, 0);
    const copy = openSqlite(file);
    const count = await copy.all<{ n: number }>(
      "SELECT COUNT(*) AS n FROM setting WHERE name LIKE 'a%' OR name LIKE 'b%'",
    );
    const integrity = await copy.all<{ integrityCheck: string }>('PRAGMA integrity_check');
    await copy.close();
    assert.ok(writes > 0);
    assert.equal((count[0]?.n ?? 1) % 2, 0);
    assert.deepEqual(
      integrity.map((row) => row.integrityCheck),
      ['ok'],
    );
  });

  it('kalends backup never writes over a file, and names a folder that is not there', async () => {
    const file = path.join(cli.dataDir, 'precious');
    await writeFile(file, 'precious');

    const over = await cli.json('backup', file);
    const nowhere = await cli.json('backup', path.join(cli.dataDir, 'no', 'copy.db'));

    assert.deepEqual([over.exitCode, nowhere.exitCode], [1, 1]);
    assert.equal(await readFile(file, 'utf8'), 'precious');
  });

  it('kalends backup sends PostgreSQL to pg_dump', async () => {
    const postgres = await openCommandLine({ KALENDS_DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' });

    const { exitCode, document } = await postgres.json('backup', 'x.db');
    await postgres.close();

    assert.equal(exitCode, 1);
    assert.match(String(document.message), /pg_dump/);
  });
});

describe('kalends doctor', () => {
  const checks = async (line: CommandLine) => {
    const { exitCode, document } = await line.json('doctor');
    const all = document.checks as Check[];
    return { exitCode, document, of: (name: string) => all.find((check) => check.name === name), all };
  };
  const withVariables = async (variables: Record<string, string>) => {
    const line = await openCommandLine(variables);
    return checks(line).finally(() => line.close());
  };

  it('kalends doctor finds no problem before the first start, and creates nothing', async () => {
    await rm(cli.dataDir, { recursive: true });

    const { exitCode, of } = await checks(cli);

    assert.equal(exitCode, 0);
    assert.equal(of('database')?.status, 'warn');
    await assert.rejects(stat(cli.dataDir), { code: 'ENOENT' });
  });

  it('kalends doctor finds a database in use in order', async () => {
    await cli.json('client', 'list');

    const { exitCode, all } = await checks(cli);

    assert.equal(exitCode, 0);
    assert.deepEqual(
      all.filter(({ status }) => status !== 'ok'),
      [],
    );
  });

  it('kalends doctor prints the addresses to register at Google and Microsoft', async () => {
    const { document } = await withVariables({ KALENDS_URL: 'https://cal.example.com' });

    assert.deepEqual(document.addresses_to_register, [
      'https://cal.example.com/connect/google/callback',
      'https://cal.example.com/connect/microsoft/callback',
    ]);
  });

  it('kalends doctor fails with another master key than the database was made with', async () => {
    await cli.json('client', 'list');
    await writeFile(path.join(cli.dataDir, 'master.key'), Buffer.alloc(32, 7).toString('base64'));

    const { exitCode, of } = await checks(cli);

    assert.equal(exitCode, 1);
    assert.equal(of('keys')?.status, 'fail');
    assert.match(of('keys')?.message ?? '', /KALENDS_MASTER_KEY/);
  });

  it('kalends doctor fails when others can read the key file', async () => {
    await cli.json('client', 'list');
    await chmod(path.join(cli.dataDir, 'master.key'), 0o644);

    assert.equal((await checks(cli)).of('data folder')?.status, 'fail');
  });

  it('kalends doctor warns of a data folder that others can read, and of no group', async () => {
    await cli.json('client', 'list');
    const status = async () => (await checks(cli)).of('data folder')?.status;

    await chmod(path.join(cli.dataDir, 'master.key'), 0o640);
    await chmod(cli.dataDir, 0o770);
    const ofGroup = await status();
    await chmod(cli.dataDir, 0o755);

    assert.deepEqual([ofGroup, await status()], ['ok', 'warn']);
  });

  it('kalends doctor fails when the database cannot be reached, and prints the reason', async () => {
    const { exitCode, of } = await withVariables({
      KALENDS_DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
    });

    assert.equal(exitCode, 1);
    assert.match(of('database')?.message ?? '', /ECONNREFUSED.+KALENDS_DATABASE_URL/);
  });

  it('kalends doctor fails when the file is no database', async () => {
    await mkdir(cli.dataDir, { recursive: true });
    await writeFile(
      path.join(cli.dataDir, 'kalends.db'),
      'not a database at all, but long enough to be read as one',
    );

    assert.equal((await checks(cli)).of('database')?.status, 'fail');
  });

  it('kalends doctor fails on a configuration that cannot be read, with each problem', async () => {
    const { exitCode, all } = await withVariables({ KALENDS_PORT: 'x', KALENDS_LOG_LEVEL: 'loud' });

    assert.equal(exitCode, 1);
    assert.deepEqual(
      all.map(({ status }) => status),
      ['fail', 'fail'],
    );
  });

  const judged: [string, Record<string, string>, string, string, RegExp][] = [
    [
      'warns of plain http',
      { KALENDS_URL: 'http://cal.example.com' },
      'public address',
      'warn',
      /plain http/,
    ],
    [
      'fails when it listens on all addresses without a public one',
      { KALENDS_HOST: '0.0.0.0' },
      'public address',
      'fail',
      /KALENDS_URL/,
    ],
    [
      'warns of an https address without a trusted proxy',
      { KALENDS_URL: 'https://cal.example.com' },
      'proxy',
      'warn',
      /KALENDS_TRUST_PROXY/,
    ],
    [
      'warns of an open private network',
      { KALENDS_PRIVATE_NETWORK: 'allow' },
      'outgoing requests',
      'warn',
      /whole network/,
    ],
    [
      'warns of a public instance that reaches this machine',
      { KALENDS_PRIVATE_NETWORK: 'loopback', KALENDS_URL: 'https://cal.example.com' },
      'outgoing requests',
      'warn',
      /KALENDS_PRIVATE_NETWORK=deny/,
    ],
    [
      'is content with the addresses that are named',
      { KALENDS_PRIVATE_NETWORK: 'radicale.lan' },
      'outgoing requests',
      'ok',
      /radicale\.lan/,
    ],
  ];
  for (const [what, variables, name, status, message] of judged) {
    it(`kalends doctor ${what}`, async () => {
      const check = (await withVariables(variables)).of(name);

      assert.equal(check?.status, status);
      assert.match(check?.message ?? '', message);
    });
  }
});
