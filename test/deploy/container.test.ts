/** The Dockerfile, checked by hadolint; its steps run in a plain folder, where only the data may be written. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { jsonWords, parseDockerfile } from '../../scripts/dockerfile.ts';
import { dockerfileProblems } from '../../scripts/dockerfile-rules.ts';
import { buildImage, compressedSize, type Image } from '../../scripts/image.ts';
import { LIMITS } from '../../scripts/limits.ts';
import { freePort } from '../harness/loopback.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const BAD = `FROM node
FROM node:latest AS one
ADD . /app
RUN cd /app && sudo npm install left-pad
RUN apt-get update && apt-get install curl
FROM one AS one
WORKDIR app
COPY --from=two a b
COPY a b c
ENV KALENDS_MASTER_KEY=abc
RUN curl https://example.com | sh
USER root
CMD node main.js
`;

describe('the Dockerfile', () => {
  it('the Dockerfile breaks none of the rules, and each rule finds who breaks it', async () => {
    const found = dockerfileProblems(BAD).join('\n');

    assert.deepEqual(dockerfileProblems(await readFile(path.join(ROOT, 'Dockerfile'), 'utf8')), []);
    for (const rule of [
      '3000',
      '3002',
      '3003',
      '3004',
      '3006',
      '3007',
      '3008',
      '3009',
      '3015',
      '3016',
      '3020',
    ])
      assert.match(found, new RegExp(`DL${rule} `));
    for (const rule of ['3021', '3022', '3024', '3025', '4006'])
      assert.match(found, new RegExp(`DL${rule} `));
    for (const rule of ['a secret stays', 'has no HEALTHCHECK', 'has no ENTRYPOINT', 'runAsNonRoot'])
      assert.ok(found.includes(rule), rule);
  });

  it('the Dockerfile’s context is what it names, so that no data and no key can get in', async () => {
    const lines = (await readFile(path.join(ROOT, '.dockerignore'), 'utf8')).split('\n');
    const patterns = lines.filter((line) => line !== '' && !line.startsWith('#'));
    const stages = parseDockerfile(await readFile(path.join(ROOT, 'Dockerfile'), 'utf8'));
    const copied = stages
      .flatMap(({ instructions }) => instructions)
      .filter(({ name, flags }) => name === 'COPY' && flags.from === undefined)
      .flatMap(({ text }) => text.split(/\s+/).slice(0, -1))
      .map((source) => source.split('/')[0]);

    assert.equal(patterns[0], '*');
    const admitted = patterns.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    assert.deepEqual([...new Set(copied)].sort(), admitted.sort());
  });
});

describe('the image', () => {
  let folder: string;
  let image: Image;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-image-'));
    await chmod(folder, 0o755);
    image = buildImage({ folder, borrowsPackages: true });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const instruction = (name: string) => {
    const found = image.stage.instructions.find((one) => one.name === name);
    assert.ok(found, name);
    return found;
  };

  it('the image adds at most 70 MB to its base, compressed', async () => {
    const bytes = await compressedSize(image.root);

    assert.ok(bytes <= LIMITS.imageBytes, `${bytes} bytes`);
    assert.ok(bytes > 5_000_000, `${bytes} bytes cannot be all of it`);
  });

  it('the image starts as its user, writes only its data, is healthy, and ends in an orderly way on SIGTERM', async () => {
    const data = path.join(image.root, 'data');
    const isRoot = process.getuid?.() === 0;
    const [user = 0, group = 0] = instruction('USER').text.split(':').map(Number);
    if (isRoot) await chown(data, user, group);
    else execFileSync('chmod', ['-R', 'a-w', path.join(image.root, 'app')]);
    const here = (word: string) => word.replace(/^\/app\//, `${image.root}/app/`);
    const [program, ...args] = [
      ...(jsonWords(instruction('ENTRYPOINT')) ?? []),
      ...(jsonWords(instruction('CMD')) ?? []),
    ];
    assert.equal(program, 'node');
    const variables = Object.fromEntries(
      instruction('ENV')
        .text.split(/\s+/)
        .map((pair) => pair.split('=') as [string, string]),
    );
    const KALENDS_PORT = String(await freePort());
    const env = { ...variables, KALENDS_HOST: '127.0.0.1', KALENDS_DATA_DIR: data, KALENDS_PORT };
    const compiled = await readdir(path.join(image.root, 'app/node_modules/.cache/kalends'), {
      recursive: true,
    });
    assert.ok(compiled.length > 100 || !isRoot, 'the program was started once, for its compile cache');
    const identity = isRoot ? { uid: user, gid: group } : {};
    const options = { env, cwd: path.join(image.root, 'app'), ...identity };

    const server = spawn(process.execPath, [...args.map(here), '--json'], options);
    let log = '';
    server.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
    const ended = once(server, 'close');
    try {
      await Promise.race([once(server.stdout, 'data'), ended]);
      const [, ...check] = jsonWords(instruction('HEALTHCHECK')) ?? [];
      const health = spawn(process.execPath, check, options);
      assert.deepEqual(await once(health, 'close'), [0, null], log);
      const nobody = spawn(process.execPath, check, { ...options, env: { ...env, KALENDS_PORT: '9' } });
      assert.deepEqual(await once(nobody, 'close'), [1, null]);
    } finally {
      server.kill('SIGTERM');
    }
    assert.deepEqual(await ended, [0, null], log);
    if (!isRoot) execFileSync('chmod', ['-R', 'u+w', path.join(image.root, 'app')]);
  });
});
