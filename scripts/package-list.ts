/** The packages that the published program runs on, as a software bill of materials (SBOM, CycloneDX). */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

type Component = { readonly 'bom-ref': string; readonly name: string; readonly version: string };
type Dependency = { readonly ref: string; readonly dependsOn: readonly string[] };
type PackageList = {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
};

/**
 * Returns the list that `npm sbom` makes of the folder's lock file, under the package's own name and without the
 * addresses of packages. It has only what the run-time dependencies lead to: npm's own `--omit dev` drops packages that
 * both kinds need.
 */
export function packageList(folder: string): PackageList {
  const { name, dependencies, optionalDependencies } = JSON.parse(
    readFileSync(path.join(folder, 'package.json'), 'utf8'),
  );
  const list = fromNpm(folder);
  const { component } = list.metadata;
  const root = component['bom-ref'];
  const dependencyNames = new Set(Object.keys({ ...dependencies, ...optionalDependencies }));
  const first = list.components
    .filter((each) => dependencyNames.has(each.name))
    .map((each) => each['bom-ref']);
  const chosen = new Map(
    list.dependencies.map((each) => [
      each.ref,
      each.ref === root ? { ...each, dependsOn: each.dependsOn.filter((ref) => first.includes(ref)) } : each,
    ]),
  );
  const reached = reachedFrom(root, chosen);
  return {
    ...list,
    metadata: { ...list.metadata, component: { ...component, name } },
    components: list.components.filter((each) => reached.has(each['bom-ref'])),
    dependencies: [...chosen.values()].filter(({ ref }) => reached.has(ref)),
  };
}

function reachedFrom(root: string, dependencies: ReadonlyMap<string, Dependency>): Set<string> {
  const reached = new Set([root]);
  for (const ref of reached) {
    for (const next of dependencies.get(ref)?.dependsOn ?? []) reached.add(next);
  }
  return reached;
}

function fromNpm(folder: string): PackageList {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64e6,
  });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  return JSON.parse(stdout, (key, value) => (key === 'externalReferences' ? undefined : value));
}
