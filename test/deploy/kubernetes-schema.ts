/**
 * Kubernetes' own schema of its objects from kubernetes-models, and that of the Prometheus operator: types, which refuse unknown fields as `kubectl apply
 * --validate=strict` does, and checks of values.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { FORMATS } from '../harness/published-formats.ts';
import { ROOT } from './docs-blocks.ts';

export type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [field: string]: unknown;
};

const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');
const STRICT = ['--noEmit', '--strict', '--ignoreConfig', '--skipLibCheck'];
const MODULES = ['--target', 'esnext', '--module', 'nodenext'];

/** Returns the problems of the manifests, or '' if there are none. Writes files to `folder`. */
export async function kubernetesProblems(manifests: readonly Manifest[], folder: string): Promise<string> {
  const packages = path.join(folder, 'node_modules');
  if (!existsSync(packages)) await symlink(FORMATS, packages);
  const file = path.join(folder, 'manifests.mts');
  await writeFile(file, manifests.map(checkedManifest).join(''));
  return said([TSC, ...STRICT, ...MODULES, file], folder) || said([file], folder);
}

/** Returns TypeScript that fails to compile because of an unknown field, and throws because of an invalid value. */
function checkedManifest(manifest: Manifest, index: number): string {
  const { apiVersion, kind } = manifest;
  const [model, type] = [`Model${index}`, `Type${index}`];
  const names = `${kind} as ${model}, type I${kind} as ${type}`;
  const models = apiVersion.startsWith('monitoring.')
    ? '@kubernetes-models/prometheus-operator'
    : 'kubernetes-models';
  return `import { ${names} } from ${JSON.stringify(`${models}/${apiVersion}/${kind}`)};
const manifest${index}: ${type} = ${JSON.stringify(manifest)};
new ${model}(manifest${index}).validate();
`;
}

/** Runs Node.js and returns its output if it fails, otherwise ''. */
function said(args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}
