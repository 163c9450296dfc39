/** compose.yaml: parsed as YAML 1.1, as Compose does, and checked against what operators rely on. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';

import { jsonWords } from '../../scripts/dockerfile.ts';
import { loadConfig } from '../../src/config/config.ts';
import { counterpart } from '../harness/counterpart.ts';
import { ROOT } from './docs-blocks.ts';
import { at, instruction, unknownSettings } from './manifest-facts.ts';
import { readYaml, YAML } from './read-yaml.ts';

describe('compose.yaml', counterpart('python3-yaml', YAML), () => {
  let compose: unknown;
  before(() => {
    [compose] = readYaml('compose.yaml');
  });
  const service = (name: string): Record<string, unknown> =>
    at(compose, 'services', name) as Record<string, unknown>;
  const namesIn = (value: unknown): string[] => Object.keys(Object(value));

  it('compose.yaml defines every network, volume and secret that a service uses, and uses each', () => {
    const services = namesIn(at(compose, 'services')).map(service);
    const used = (field: string) => services.flatMap((one) => (one[field] ?? []) as string[]);
    const volumes = used('volumes').map((mount) => mount.split(':')[0] ?? '');

    const unique = (names: readonly string[]) => [...new Set(names)].sort();
    assert.deepEqual(unique(used('networks')), namesIn(at(compose, 'networks')).sort());
    assert.deepEqual(unique(used('secrets')), namesIn(at(compose, 'secrets')).sort());
    assert.deepEqual(
      unique(volumes.filter((name) => !name.startsWith('.'))),
      namesIn(at(compose, 'volumes')).sort(),
    );
    for (const mount of volumes.filter((name) => name.startsWith('.'))) readFileSync(path.join(ROOT, mount));
    for (const one of services) for (const name of namesIn(one.depends_on)) assert.ok(service(name), name);
  });

  it('compose.yaml’s Kalends is read-only, without rights, reached through Caddy alone, and waits for a healthy database', () => {
    const kalends = service('kalends');

    assert.equal(kalends.read_only, true);
    assert.deepEqual(kalends.cap_drop, ['ALL']);
    assert.equal(kalends.ports, undefined);
    assert.equal(service('postgres').ports, undefined);
    assert.equal(at(kalends.depends_on, 'postgres', 'condition'), 'service_healthy');
    assert.ok(service('postgres').healthcheck);
    assert.equal(at(compose, 'networks', 'back', 'internal'), true);
    assert.deepEqual(
      (kalends.volumes as string[]).map((mount) => mount.split(':')[1]),
      [instruction('VOLUME')],
    );
    // The image has its own health check, which Caddy waits for.
    assert.equal(at(service('caddy').depends_on, 'kalends', 'condition'), 'service_healthy');
    assert.ok(jsonWords({ name: 'HEALTHCHECK', flags: {}, text: instruction('HEALTHCHECK'), line: 1 }));
  });

  it('compose.yaml sets what there is to set, and no secret in the environment', () => {
    const environment = service('kalends').environment as Record<string, string>;
    const { KALENDS_DATABASE_URL_FILE, KALENDS_MASTER_KEY_FILE, ...plain } = environment;

    assert.deepEqual(unknownSettings(Object.keys(environment)), []);
    for (const file of [KALENDS_DATABASE_URL_FILE, KALENDS_MASTER_KEY_FILE])
      assert.ok((service('kalends').secrets as string[]).includes(path.basename(file ?? '')));
    const url = plain.KALENDS_URL?.replace(/\$\{[^}]*\}/, 'calendars.example.com');
    assert.equal(loadConfig({ ...plain, KALENDS_URL: url }).url, 'https://calendars.example.com');
    assert.doesNotMatch(JSON.stringify(compose), /postgres:\/\//);
  });

  it('compose.yaml limits the memory and the log of each service', () => {
    for (const name of namesIn(at(compose, 'services'))) {
      const { mem_limit: memory, logging } = service(name);
      assert.match(String(memory), /^\d+[mg]$/, name);
      assert.ok(at(logging, 'options', 'max-size') && at(logging, 'options', 'max-file'), name);
    }
  });

  it('compose.yaml’s backup reads the database with PostgreSQL’s own programs and reaches nothing else', () => {
    const { image, networks, volumes, environment } = service('backup');

    assert.equal(image, service('postgres').image);
    assert.deepEqual(networks, ['back']);
    assert.ok((volumes as string[]).includes('./deploy/backup.sh:/backup.sh:ro'));
    assert.match(String(at(environment, 'BACKUP_KEEP')), /:-14\}$/);
  });
});
