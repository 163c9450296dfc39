/** The code that docs/webhooks.md shows for verifying deliveries does so. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newEndpointSecret } from '../../src/webhooks/endpoint-secret.ts';
import { counterpart } from '../harness/counterpart.ts';

const PYTHON = '/usr/bin/python3';
const PAGE = path.resolve(import.meta.dirname, '../../docs/webhooks.md');

describe('the samples of docs/webhooks.md', () => {
  let folder: string;
  let page: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-samples-'));
    page = await readFile(PAGE, 'utf8');
  });
  after(() => rm(folder, { recursive: true }));

  const sample = (language: string): string => {
    const code = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1];
    assert.ok(code !== undefined, `no sample in ${language}`);
    return code;
  };
  const secret = newEndpointSecret();
  const signed = (body: string, at = Date.now()) => {
    const timestamp = String(Math.floor(at / 1000));
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64');
    return {
      'webhook-id': 'msg_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1a,AAAA v1,${signature}`,
    };
  };
  const body = '{"title":"Café ☕"}';
  const cases = [
    { what: 'genuine', headers: signed(body), body, is: true },
    { what: 'changed', headers: signed(body), body: `${body} `, is: false },
    { what: 'old', headers: signed(body, Date.now() - 301_000), body, is: false },
    { what: 'unsigned', headers: { ...signed(body), 'webhook-signature': 'v1a,AAAA v1,' }, body, is: false },
  ];

  it('TypeScript', async () => {
    const file = path.join(folder, 'sample.ts');
    await writeFile(file, sample('ts'));
    const { isGenuine } = await import(file);

    for (const one of cases) assert.equal(isGenuine(one.headers, one.body, secret), one.is, one.what);
  });

  it('Python', counterpart('Python', PYTHON), async () => {
    const file = path.join(folder, 'sample.py');
    const asked = `
import json, sys
for case in json.load(sys.stdin):
    print(is_genuine(case["headers"], case["body"].encode(), case["secret"]))
`;
    await writeFile(file, sample('python') + asked);
    const stdout = await run(PYTHON, [file], JSON.stringify(cases.map((one) => ({ ...one, secret }))));

    assert.deepEqual(
      stdout.trim().split('\n'),
      cases.map(({ is }) => (is ? 'True' : 'False')),
    );
  });
});

function run(command: string, args: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, (failure, stdout) => (failure ? reject(failure) : resolve(stdout)));
    child.stdin?.end(input);
  });
}
