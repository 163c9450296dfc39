/** `kalends apply` and `kalends export` on files. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { type CommandLine, openCommandLine } from './cli-run.ts';

const MANIFEST = `
applications:
  Tideline: { redirect_uris: [https://tideline.example/cb], webhook_url: https://tideline.example/hook }
members:
  ada@tideline.example: { role: owner }
`;

describe('kalends apply', () => {
  let cli: CommandLine;
  let file: string;
  beforeEach(async () => {
    cli = await openCommandLine({ KALENDS_URL: 'https://kalends.example' });
    file = path.join(cli.dataDir, 'manifest.yaml');
    await writeFile(file, MANIFEST);
  });
  afterEach(() => cli.close());

  const write = (text: string) => writeFile(file, text);
  const names = async () => {
    const { clients } = (await cli.json('client', 'list')).document;
    return (clients as { name: string }[]).map(({ name }) => name).sort();
  };

  it('applies the manifest of docs/apply.md, whose secret is in the environment, and exports it', async () => {
    const page = await readFile(new URL('../../docs/apply.md', import.meta.url), 'utf8');
    const [, snippet = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    await write(snippet.replaceAll(/^ {3}/gm, ''));
    const unset = await cli.run(['apply', '-f', file]);
    assert.deepEqual([unset.exitCode, /GOOGLE_SECRET is not set/.test(unset.stderr)], [1, true]);

    const applied = await cli.run(['apply', '-f', file], undefined, { GOOGLE_SECRET: 'canary' });
    assert.equal(applied.exitCode, 0, applied.stderr);
    assert.match(applied.stdout, /client_secret +kalends_/);
    assert.doesNotMatch(applied.stdout, /canary|undefined/);
    const again = await cli.run(['apply', '-f', file, '--dry-run'], undefined, { GOOGLE_SECRET: 'canary' });
    assert.deepEqual([again.stdout, again.exitCode], ['No changes.\n', 0]);

    const { stdout: exported } = await cli.run(['export']);
    assert.doesNotMatch(exported, /canary|_secret/);
    await write(exported);
    assert.equal((await cli.run(['apply', '-f', file, '--prune'])).stdout, 'No changes.\n');
    const { document } = await cli.json('export');
    await write(JSON.stringify(document, null, '\t'));
    assert.equal((await cli.run(['apply', '-f', file])).stdout, 'No changes.\n');
    assert.equal((await cli.run(['apply', '--file', '-'], JSON.stringify(document))).stdout, 'No changes.\n');
  });

  it('prints keys as JSON', async () => {
    // The key of RFC 7517 A.1
    const [x, y] = [
      'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
      '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
    ];
    const jwks = { keys: [{ kty: 'EC', crv: 'P-256', x, y }] };
    await write(
      JSON.stringify({ applications: { Keyed: { redirect_uris: ['https://keyed.example/cb'], jwks } } }),
    );
    const { stdout } = await cli.run(['apply', '-f', file, '--dry-run']);
    assert.match(stdout, /^ {2}jwks: \{"keys":\[\{.*"x":"MKBCTN/m);
  });

  it('a dry run with changes exits with 3 and changes nothing', async () => {
    const { stdout, exitCode } = await cli.run(['apply', '-f', file, '--dry-run']);
    assert.equal(exitCode, 3);
    assert.match(stdout, /^create applications\.Tideline\n {2}name: Tideline\n {2}redirect_uris: https:/m);
    assert.match(stdout, /Nothing was changed: 2 to create, 0 to update, 0 to delete\.\n$/);
    assert.deepEqual(await names(), []);
    assert.equal((await cli.json('apply', '-f', file, '--dry-run')).document.dry_run, true);
  });

  it('writes new secrets to a new file of the owner, which is opened before anything changes', async () => {
    const secrets = path.join(cli.dataDir, 'secrets.json');
    await writeFile(secrets, '');
    const refused = await cli.run(['apply', '-f', file, '--secrets', secrets]);
    assert.deepEqual([refused.exitCode, await names()], [1, []]);

    const other = path.join(cli.dataDir, 'other.json');
    const { stdout } = await cli.run(['apply', '-f', file, '--secrets', other]);
    assert.doesNotMatch(stdout, /kalends_|whsec_|join\//);
    assert.equal((await stat(other)).mode & 0o777, 0o600);
    const written = JSON.parse(await readFile(other, 'utf8')).secrets;
    assert.deepEqual(
      written.map((one: object) => Object.keys(one)),
      [
        ['path', 'client_id', 'client_secret', 'webhook_secret'],
        ['path', 'url'],
      ],
    );
    const third = path.join(cli.dataDir, 'third.json');
    await cli.run(['apply', '-f', file, '--secrets', third]);
    assert.equal(existsSync(third), false);
    await write('applications: { New: { redirect_uris: [https://x.example/] } }');
    const { document } = await cli.json('apply', '-f', file, '--secrets', third);
    assert.deepEqual([document.secrets, existsSync(third)], [undefined, true]);
  });

  it('deletes with --prune after a confirmation', async () => {
    await cli.run(['apply', '-f', file]);
    await cli.run(['client', 'create', '--name', 'Manual', '--redirect-uri', 'https://m.example/']);
    await write('applications:');
    const unasked = await cli.run(['apply', '-f', file, '--prune']);
    assert.deepEqual([unasked.exitCode, await names()], [2, ['Manual', 'Tideline']]);
    assert.match(unasked.stderr, /Deleting applications\.Tideline cannot be undone/);
    const refused = await cli.run(['apply', '-f', file, '--prune'], 'no');
    assert.deepEqual([refused.exitCode, await names()], [1, ['Manual', 'Tideline']]);
    const { stdout } = await cli.run(['apply', '-f', file, '--prune'], 'yes');
    assert.match(stdout, /^delete applications\.Tideline\n\n0 created, 0 updated, 1 deleted\.$/m);
    assert.deepEqual(await names(), ['Manual']);
    assert.match((await cli.run(['admin', 'invitations'])).stdout, /ada@tideline/);
    await write('members: {}');
    assert.equal((await cli.run(['apply', '-f', file, '--prune', '--yes'])).exitCode, 0);
    assert.doesNotMatch((await cli.run(['admin', 'invitations'])).stdout, /ada@tideline/);
  });

  it('names everything that is wrong, and exits with 2', async () => {
    const secretOf = (secret: string) =>
      `applications: { A: { provider_apps: { google: { app_client_id: a, client_secret: ${secret} } } } }`;
    const cases: [manifest: string, message: RegExp][] = [
      ['applications: [', /manifest\.yaml is not valid YAML: .+ at line 1/],
      ['applications: { A: {}, A: {} }', /not valid YAML: Map keys must be unique/],
      ['applications: &a { A: *a }', /not valid YAML: Converting circular structure/],
      ['a: *none', /not valid YAML: Unresolved alias/],
      ['applications: { A: { teme: x, verified: 1 } }', /3 problems:\n {2}applications\.A\.teme is unknown/],
      [
        'members: { x: { role: boss } }',
        /2 problems:\n {2}members\.x\.role must be one of .+\n {2}members\.x is not an email/,
      ],
      ['aplications: {}', /aplications is unknown: did you mean applications\?/],
      ['- a', /must be an object/],
      [secretOf('{ env: }'), /client_secret must be a text, \{ env: NAME \} or \{ file: PATH \}/],
      [secretOf('{ env: A, file: b }'), /client_secret must be a text/],
    ];
    for (const [manifest, message] of cases) {
      await write(manifest);
      const { stderr, exitCode, stdout } = await cli.run(['apply', '-f', file]);
      assert.deepEqual([exitCode, stdout], [2, ''], manifest);
      assert.match(stderr, message);
    }
    await write(secretOf('{ file: none }'));
    assert.match((await cli.run(['apply', '-f', file])).stderr, /none cannot be read \(ENOENT\)/);
    assert.equal((await cli.run(['apply'])).exitCode, 2);
    await writeFile(path.join(cli.dataDir, 'secret'), 'from a file\n'.replaceAll(' ', '-'));
    await write(secretOf('{ file: secret }').replace('A: {', 'A: { redirect_uris: [https://a.example/],'));
    assert.equal((await cli.run(['apply', '-f', file])).exitCode, 0);
  });

  it('says what failed, and exits with 1', async () => {
    const shared = 'redirect_uris: [https://a.example/], webhook_url: https://a.example/hook';
    await write(`applications: { A: { ${shared} }, B: { ${shared} } }`);
    const { stdout, exitCode } = await cli.run(['apply', '-f', file]);
    assert.equal(exitCode, 1);
    assert.match(stdout, /^create applications\.A$/m);
    assert.match(stdout, /^Failed: applications\.B: .+\. The steps after it were not made\.$/m);
    assert.match(stdout, /client_secret/);
  });
});
