/**
 * compose.yaml and the Kubernetes example: parsed as YAML 1.1, as those programs do, and checked against Kubernetes'
 * own schema and what operators rely on.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { jsonWords, parseDockerfile } from '../../scripts/dockerfile.ts';
import { loadConfig, OPTIONS } from '../../src/config/config.ts';
import { counterpart } from '../harness/counterpart.ts';
import { FORMATS } from '../harness/published-formats.ts';
import { kubernetesProblems, type Manifest } from './kubernetes-schema.ts';
import { readYaml, YAML } from './read-yaml.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Held to their schema below. */
const readManifests = (): Manifest[] => readYaml('deploy/kubernetes.yaml') as Manifest[];

/** The path of the Deployment's container. */
const CONTAINER = ['spec', 'template', 'spec', 'containers', 0] as const;

/** Returns the value at the path of keys and indexes. */
const at = (value: unknown, ...keys: readonly (string | number)[]): unknown =>
  keys.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), value);

const known = new Set(OPTIONS.flatMap(({ name }) => [name, `${name}_FILE`]));
const unknownSettings = (names: readonly string[]): string[] =>
  names.filter((name) => name.startsWith('KALENDS_') && !known.has(name));

const finalStage = () => parseDockerfile(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8')).at(-1);
const instruction = (name: string): string =>
  finalStage()?.instructions.find((one) => one.name === name)?.text ?? '';

describe(
  'the Kubernetes example in Kubernetes’ own schema',
  counterpart('kubernetes-models', FORMATS),
  () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'kalends-kubernetes-'));
    });
    after(() => rm(folder, { recursive: true, force: true }));

    it('the Kubernetes example has no field that its schema lacks, and no value that it refuses', async () => {
      const manifests = readManifests();
      const [found] = manifests.filter(({ kind }) => kind === 'Deployment');
      const withResources = (resources: unknown): Manifest[] => {
        const changed = structuredClone(found) as Manifest;
        Object.assign(Object(at(changed, ...CONTAINER)), { resources });
        return [changed];
      };

      assert.equal(await kubernetesProblems(manifests, folder), '');
      const unknown = await kubernetesProblems(withResources({ request: {} }), folder);
      assert.match(unknown, /"request"' does not exist in type/);
      const refused = await kubernetesProblems(withResources({ requests: { memory: '1 GB' } }), folder);
      assert.match(refused, /requests\/memory must match format "quantity"/);
    });
  },
);

describe('the Kubernetes example', counterpart('python3-yaml', YAML), () => {
  let manifests: Manifest[];
  const ofKind = (kind: string): Manifest => {
    const found = manifests.filter((one) => one.kind === kind);
    assert.equal(found.length, 1, kind);
    return found[0] ?? { apiVersion: '', kind };
  };
  before(() => {
    manifests = readManifests();
  });

  it('the Kubernetes example’s service and budget select the pods there are, and one is always left', () => {
    const labels = JSON.stringify(at(ofKind('Deployment'), 'spec', 'template', 'metadata', 'labels'));
    const budget = ofKind('PodDisruptionBudget');

    assert.equal(JSON.stringify(at(ofKind('Deployment'), 'spec', 'selector', 'matchLabels')), labels);
    assert.equal(JSON.stringify(at(ofKind('Service'), 'spec', 'selector')), labels);
    assert.equal(JSON.stringify(at(budget, 'spec', 'selector', 'matchLabels')), labels);
    assert.ok(
      Number(at(budget, 'spec', 'minAvailable')) < Number(at(ofKind('Deployment'), 'spec', 'replicas')),
    );
  });

  it('the Kubernetes example runs the image as its user, read-only, with three probes of its port', () => {
    const pod = at(ofKind('Deployment'), 'spec', 'template', 'spec');
    const container = at(pod, 'containers', 0);
    const [port] = at(container, 'ports') as { containerPort: number; name: string }[];

    assert.equal(
      `${at(pod, 'securityContext', 'runAsUser')}:${at(pod, 'securityContext', 'runAsGroup')}`,
      instruction('USER'),
    );
    assert.equal(at(container, 'securityContext', 'readOnlyRootFilesystem'), true);
    assert.equal(String(port?.containerPort), instruction('EXPOSE'));
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
      assert.equal(at(container, probe, 'httpGet', 'port'), port?.name, probe);
    const mounted = (at(container, 'volumeMounts') as { name: string; mountPath: string }[]).map(
      (one) => one.name,
    );
    assert.deepEqual(
      mounted,
      (at(pod, 'volumes') as { name: string }[]).map((one) => one.name),
    );
    assert.ok(Number(at(pod, 'terminationGracePeriodSeconds')) >= 60);
  });

  it('the Kubernetes example sets what there is to set, to what can be read', () => {
    const variables = at(ofKind('ConfigMap'), 'data') as Record<string, string>;
    const more = at(ofKind('Deployment'), ...CONTAINER, 'env') as {
      name: string;
    }[];

    assert.deepEqual(unknownSettings([...Object.keys(variables), ...more.map(({ name }) => name)]), []);
    assert.equal(loadConfig(variables).trustProxy, 1);
  });
});

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
});
