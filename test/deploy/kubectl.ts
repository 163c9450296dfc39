/** Renders kustomizations with Kubernetes' own program. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { ROOT } from './docs-blocks.ts';
import type { Manifest } from './kubernetes-schema.ts';
import { parseYaml } from './read-yaml.ts';

export const KUBECTL = '/usr/local/lib/kalends-counterparts/kubectl-2.2.2';
const KUBERNETES = path.join(ROOT, 'deploy/kubernetes');

/** Renders a folder of deploy/kubernetes. Throws if there is a warning. */
export function renderFolder(folder: string): Manifest[] {
  const { status, stdout, stderr } = spawnSync(KUBECTL, ['kustomize', path.resolve(KUBERNETES, folder)], {
    encoding: 'utf8',
  });
  if (status !== 0 || stderr !== '') throw new Error(`kubectl kustomize ${folder}: ${stderr}`);
  return parseYaml(stdout) as Manifest[];
}

/** Renders the base with components. */
export function renderWith(...components: readonly string[]): Manifest[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'kalends-overlay-'));
  const relative = (name: string) => path.relative(folder, path.join(KUBERNETES, name));
  const overlay = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [relative('base')],
    components: components.map((name) => relative(`components/${name}`)),
  };
  try {
    writeFileSync(path.join(folder, 'kustomization.yaml'), JSON.stringify(overlay));
    return renderFolder(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
