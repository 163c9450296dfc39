/** The nginx, Caddy and systemd configuration in docs/operations.md, read by those programs themselves. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { counterpart } from '../harness/counterpart.ts';
import { freePort } from '../harness/loopback.ts';
import { blockAfter, ROOT } from './docs-blocks.ts';

const run = promisify(execFile);
const NGINX = '/usr/sbin/nginx';
const CADDY = '/usr/bin/caddy';
const SYSTEMD = '/usr/bin/systemd-analyze';
/** The highest permitted exposure, from 0 to 100; systemd's rating "OK" ends at 50. */
const MOST_EXPOSURE = '20';

let folder: string;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kalends-deploy-'));
});
after(() => rm(folder, { recursive: true, force: true }));

describe('the nginx block of the docs', counterpart('nginx', NGINX), () => {
  const complaints = async (block: string): Promise<string> => {
    const port = await freePort();
    const file = path.join(folder, 'nginx.conf');
    // Its files and port are this machine's; everything else is as on the page.
    const server = block
      .replaceAll('/etc/ssl/', `${folder}/`)
      .replace('listen 443', `listen 127.0.0.1:${port}`);
    await writeFile(file, `pid ${folder}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${server}}\n`);
    const args = ['-t', '-q', '-p', folder, '-e', path.join(folder, 'error.log'), '-c', file];
    return (await run(NGINX, args).catch((failure) => failure)).stderr;
  };

  it('the nginx block of the docs is one that nginx loads', async () => {
    const names = ['-keyout', `${folder}/calendars.key`, '-out', `${folder}/calendars.pem`];
    const key = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-subj',
      '/CN=calendars.example.com',
    ];
    await run('openssl', ['req', '-x509', '-nodes', ...key, ...names]);
    const block = await blockAfter('nginx:', 'nginx');

    assert.equal(await complaints(block), '');
    assert.match(await complaints(block.replace('proxy_pass', 'proxy_passes')), /unknown directive/);
  });
});

describe('the Caddy block of the docs', counterpart('Caddy', CADDY), () => {
  /** Returns Caddy's message if it refuses the block, otherwise ''. */
  const refusal = async (name: string, block: string): Promise<string> => {
    const file = path.join(folder, `Caddyfile-${name}`);
    await writeFile(file, block);
    const env = { ...process.env, PUBLIC_HOST: 'calendars.example.com', HOME: folder };
    const args = ['validate', '--adapter', 'caddyfile', '--config', file];
    return run(CADDY, args, { env }).then(
      () => '',
      (failure) => failure.stderr,
    );
  };

  it('the Caddy block of the docs is one that Caddy loads, and compose.yaml’s as well', async () => {
    const files = {
      docs: await blockAfter('Caddy:', ''),
      compose: await readFile(path.join(ROOT, 'deploy/Caddyfile'), 'utf8'),
    };
    for (const [name, block] of Object.entries(files)) {
      assert.equal(await refusal(name, block), '');
      assert.match(block, /reverse_proxy \S+:8080$/m, name);
    }
    const wrong = files.docs.replace('reverse_proxy', 'reverse_proxies');
    assert.match(await refusal('wrong', wrong), /unrecognized directive: reverse_proxies/);
  });
});

describe('the systemd unit', counterpart('systemd', SYSTEMD), () => {
  let unit: string;
  let file: string;
  before(async () => {
    unit = await readFile(path.join(ROOT, 'deploy/kalends.service'), 'utf8');
    file = path.join(folder, 'kalends.service');
    // The program that the unit starts must exist.
    await writeFile(file, unit.replace('/usr/bin/kalends', process.execPath));
  });

  it('the systemd unit of the docs is the one in deploy/', async () => {
    assert.equal(await blockAfter('## systemd', 'ini'), unit);
  });

  it('the systemd unit is one that systemd loads without a word', async () => {
    const { stdout, stderr } = await run(SYSTEMD, ['verify', file]);

    assert.equal(stdout + stderr, '');
    await writeFile(`${file}.wrong.service`, unit.replace('StateDirectory=', 'StateFolder='));
    const wrong = await run(SYSTEMD, ['verify', `${file}.wrong.service`]).catch((failure) => failure);
    assert.match(wrong.stderr, /Unknown key/);
  });

  it('the systemd unit starts the program again two seconds after it ended, however often it ended', () => {
    const [head = '', service = ''] = unit.split('[Service]');

    // systemd ignores this key in any other section.
    assert.match(head, /^StartLimitIntervalSec=0$/m);
    assert.match(service, /^Restart=always\nRestartSec=2$/m);
  });

  it('the systemd unit limits memory as npm start does', async () => {
    const { scripts } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
    const [semiSpace = ''] = /--max-semi-space-size=\d+/.exec(scripts.start) ?? [];
    const environment = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, text = '']) =>
      text.split(' '),
    );
    const variables = Object.fromEntries(environment.map((text) => text.split(/=(.*)/s)));

    assert.equal(variables.NODE_OPTIONS, semiSpace);
    for (const [, name = '', value] of scripts.start.matchAll(/(MALLOC_\w+)=\$\{\w+:-(\d+)\}/g))
      assert.equal(variables[name], value, name);
    const heap = await run(process.execPath, ['-p', 'v8.getHeapStatistics().heap_size_limit'], {
      env: variables,
    });
    assert.ok(Number(heap.stdout) > 0, 'Node accepts these variables');
  });

  it('the systemd unit leaves the program no more than it needs', async () => {
    const { stdout } = await run(SYSTEMD, [
      'security',
      '--offline=true',
      `--threshold=${MOST_EXPOSURE}`,
      file,
    ]);

    assert.match(stdout, /Overall exposure level/);
  });

  it('the sysusers file makes the user and the group that the unit names', async () => {
    const root = path.join(folder, 'root');
    await mkdir(path.join(root, 'etc'), { recursive: true });
    const sysusers = path.join(ROOT, 'deploy/kalends.sysusers.conf');

    await run('/usr/bin/systemd-sysusers', [`--root=${root}`, sysusers]);

    const passwd = await readFile(path.join(root, 'etc/passwd'), 'utf8');
    assert.match(passwd, /^kalends:x:\d+:\d+:Kalends:\/var\/lib\/kalends:\/usr\/sbin\/nologin$/m);
    assert.match(unit, /^User=kalends\nGroup=kalends\n/m);
  });
});
