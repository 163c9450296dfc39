/** The operations on the manifest of a deployment. Their implementation is loaded at the first call. */
import { anyObject, flag, required } from '../../http/fields.ts';
import { BODY_BYTES } from '../../http/sizes.ts';
import { mustBeAllowed } from '../../people/permission.ts';
import { ADMINISTRATION } from './administration-error.ts';
import { operation } from './operation.ts';

export const applyOperation = operation({
  ...{ id: 'applyManifest', method: 'post', path: '/apply', group: 'Manifest' },
  summary: 'Create and change applications and members as a manifest says',
  description:
    'The response lists the steps. If one fails, `failure` has its error, and the steps after it are not made. Only this response has `secrets`.',
  permission: 'system.change',
  errors: [ADMINISTRATION.apply_running],
  mostBytes: BODY_BYTES,
  pathFields: {},
  fields: {
    manifest: required(anyObject({ doc: 'The [manifest](apply.md#the-manifest).', example: {} })),
    dry_run: flag({ doc: '`true`: nothing is changed, and the response only has the steps.' }),
    prune: flag({ doc: '`true`: what an earlier manifest created and this one does not list is deleted.' }),
  },
  ...{ command: 'apply', result: ['dry_run', 'steps', 'secrets', 'failure'] },
  async run({ manifest, dry_run: isDryRun = false, prune: prunes = false }, deps) {
    mustBeAllowed(deps.actor, 'system.change');
    const { applyManifest } = await import('./apply-manifest.ts');
    return applyManifest({ manifest, isDryRun, prunes }, deps);
  },
  toDocument: ({ isDryRun, steps, secrets, failure = null }) => ({
    dry_run: isDryRun,
    steps: steps.map(({ action, path, changes }) => ({ action, path, changes })),
    ...{ secrets, failure },
  }),
});

export const exportOperation = operation({
  ...{ id: 'exportManifest', method: 'get', path: '/manifest', group: 'Manifest' },
  summary: 'Show applications and members as a manifest',
  description: 'Applied again, it changes nothing. It has no secrets and no logos.',
  ...{ permission: 'system.read', pathFields: {}, fields: {} },
  ...{ command: 'export', result: ['applications', 'members'] },
  async run(_, deps) {
    mustBeAllowed(deps.actor, 'system.read');
    const { exportManifest } = await import('./export-manifest.ts');
    return exportManifest(deps);
  },
  toDocument: (manifest) => manifest,
});

export const APPLY_OPERATIONS = [applyOperation, exportOperation];
