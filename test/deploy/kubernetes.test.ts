/** The Kubernetes example: rendered by kubectl, and checked against the schemas and what operators rely on. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { loadConfig } from '../../src/config/config.ts';
import { counterpart } from '../harness/counterpart.ts';
import { FORMATS } from '../harness/published-formats.ts';
import { ROOT } from './docs-blocks.ts';
import { KUBECTL, renderFolder, renderWith } from './kubectl.ts';
import { kubernetesProblems, type Manifest } from './kubernetes-schema.ts';
import { at, instruction, unknownSettings } from './manifest-facts.ts';

const COMPONENTS = await readdir(path.join(ROOT, 'deploy/kubernetes/components'));
/** The path of the pod's specification. */
const POD = ['spec', 'template', 'spec'] as const;
const CONTAINER = [...POD, 'containers', 0] as const;

function find(manifests: readonly Manifest[], kind: string, name = 'kalends'): Manifest {
  const matches = manifests.filter((one) => one.kind === kind && at(one, 'metadata', 'name') === name);
  assert.equal(matches.length, 1, `${kind} ${name}`);
  return matches[0] ?? assert.fail();
}

const variablesOf = (container: unknown) =>
  (at(container, 'env') as { readonly name: string; readonly value: string }[]).map(({ name }) => name);

describe('the Kubernetes example in the published schemas', counterpart('kubectl', KUBECTL), () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-kubernetes-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('every kustomization renders without a warning and has no field or value that its schema refuses', async (t) => {
    if (counterpart('kubernetes-models', FORMATS).skip) return t.skip('kubernetes-models is not installed');
    const all = [
      renderFolder('base'),
      renderFolder('overlays/example'),
      ...COMPONENTS.map((one) => renderWith(one)),
    ];

    assert.equal(await kubernetesProblems(all.flat(), folder), '');
  });

  it('the schemas refuse an unknown field and an invalid value', async (t) => {
    if (counterpart('kubernetes-models', FORMATS).skip) return t.skip('kubernetes-models is not installed');
    const withResources = (resources: unknown): Manifest[] => {
      const changed = structuredClone(find(renderFolder('base'), 'Deployment'));
      Object.assign(Object(at(changed, ...CONTAINER)), { resources });
      return [changed];
    };

    const unknown = await kubernetesProblems(withResources({ request: {} }), folder);
    assert.match(unknown, /"request"' does not exist in type/);
    const refused = await kubernetesProblems(withResources({ requests: { memory: '1 GB' } }), folder);
    assert.match(refused, /requests\/memory must match format "quantity"/);
  });
});

describe('the Kubernetes example', counterpart('kubectl', KUBECTL), () => {
  const base = () => renderFolder('base');

  it('the service and the disruption budget select the pods that serve requests, and one is always left', () => {
    for (const manifests of [base(), renderWith('web-worker')]) {
      const server = find(manifests, 'Deployment');
      const labels = at(server, 'spec', 'template', 'metadata', 'labels');
      const budget = find(manifests, 'PodDisruptionBudget');

      assert.deepEqual(at(server, 'spec', 'selector', 'matchLabels'), labels);
      assert.deepEqual(at(find(manifests, 'Service'), 'spec', 'selector'), labels);
      assert.deepEqual(at(budget, 'spec', 'selector', 'matchLabels'), labels);
      assert.ok(Number(at(budget, 'spec', 'minAvailable')) < Number(at(server, 'spec', 'replicas')));
    }
  });

  it('every container runs the image as its user, read-only and without rights or an account', () => {
    const pods = renderFolder('overlays/example')
      .concat(base())
      .filter((one) => at(one, ...POD) !== undefined);
    for (const pod of pods.map((one) => at(one, ...POD))) {
      const { runAsUser, runAsGroup } = at(pod, 'securityContext') as Record<string, number>;
      assert.equal(`${runAsUser}:${runAsGroup}`, instruction('USER'));
      assert.equal(at(pod, 'automountServiceAccountToken'), false);
      const containers = ['initContainers', 'containers'].flatMap((key) => (at(pod, key) ?? []) as unknown[]);
      for (const container of containers) {
        assert.equal(at(container, 'securityContext', 'readOnlyRootFilesystem'), true);
        assert.deepEqual(at(container, 'securityContext', 'capabilities'), { drop: ['ALL'] });
        const mounts = (at(container, 'volumeMounts') as { name: string }[]).map(({ name }) => name);
        assert.deepEqual(
          mounts,
          (at(pod, 'volumes') as { name: string }[]).map(({ name }) => name),
        );
        assert.deepEqual(unknownSettings(variablesOf(container)), []);
      }
    }
    assert.equal(pods.length, 4);
  });

  it('an instance has three probes of its port and a minute to end', () => {
    const pod = at(find(base(), 'Deployment'), ...POD);
    const [port] = at(pod, 'containers', 0, 'ports') as { containerPort: number; name: string }[];

    assert.equal(String(port?.containerPort), instruction('EXPOSE'));
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
      assert.equal(at(pod, 'containers', 0, probe, 'httpGet', 'port'), port?.name, probe);
    assert.ok(Number(at(pod, 'terminationGracePeriodSeconds')) >= 60);
  });

  it('an init container migrates, and the instance refuses a database that is not migrated', () => {
    const pod = at(find(base(), 'Deployment'), ...POD);
    const variables = at(find(base(), 'ConfigMap'), 'data') as Record<string, string>;

    assert.deepEqual(at(pod, 'initContainers', 0, 'args'), ['migrate']);
    assert.deepEqual(unknownSettings(Object.keys(variables)), []);
    const { trustProxy, migrations } = loadConfig(variables);
    assert.deepEqual([trustProxy, migrations], [1, 'refuse']);
  });

  it('with migrate-job a job migrates, and instances wait for it without an init container', () => {
    const manifests = renderWith('web-worker', 'migrate-job');

    assert.deepEqual(at(find(manifests, 'Job', 'kalends-migrate'), ...CONTAINER, 'args'), ['migrate']);
    assert.equal(at(find(manifests, 'ConfigMap'), 'data', 'KALENDS_MIGRATIONS'), 'wait');
    for (const name of ['kalends', 'kalends-worker'])
      assert.equal(at(find(manifests, 'Deployment', name), ...POD, 'initContainers'), undefined);
  });

  it('with web-worker each kind of work has its own pods', () => {
    const manifests = renderWith('web-worker');
    const args = (name: string) => at(find(manifests, 'Deployment', name), ...CONTAINER, 'args');

    assert.deepEqual(
      [args('kalends'), args('kalends-worker')],
      [
        ['serve', '--role=web'],
        ['serve', '--role=worker'],
      ],
    );
  });

  it('with metrics every instance has the port that Prometheus scrapes', () => {
    const manifests = renderWith('web-worker', 'metrics');
    const [endpoint] = at(find(manifests, 'PodMonitor'), 'spec', 'podMetricsEndpoints') as { port: string }[];

    for (const name of ['kalends', 'kalends-worker']) {
      const container = at(find(manifests, 'Deployment', name), ...CONTAINER);
      const ports = at(container, 'ports') as { name: string; containerPort: number }[];
      const port = ports.find((one) => one.name === endpoint?.port)?.containerPort;
      const env = at(container, 'env') as { name: string; value: string }[];
      const setting = env.find((one) => one.name === 'KALENDS_METRICS_ADDRESS')?.value;
      assert.equal(setting, `0.0.0.0:${port}`);
    }
  });

  it('with autoscaling the autoscaler alone decides the number of instances', () => {
    const manifests = renderWith('autoscaling');

    assert.equal(at(find(manifests, 'Deployment'), 'spec', 'replicas'), undefined);
    const target = at(find(manifests, 'HorizontalPodAutoscaler'), 'spec', 'scaleTargetRef');
    assert.deepEqual(target, { apiVersion: 'apps/v1', kind: 'Deployment', name: 'kalends' });
  });
});
