/** Plans and applies a manifest, under the lease `apply`. */
import { randomUUID } from 'node:crypto';
import { anyObject, asObject, type Members, type Mistake, refuseMistakes } from '../../http/fields.ts';
import { ApiError } from '../../http/refusal.ts';
import { firstEndpointId } from '../../webhooks/endpoints.ts';
import { ADMINISTRATION, toApiError } from './administration-error.ts';
import { pick, readPart } from './manifest.ts';
import { type AdministrationDeps, readInput, toRequest } from './operation.ts';
import { planApplications } from './plan-applications.ts';
import { planMembers } from './plan-members.ts';
import type { Call, PlanTerms, Step } from './plan-step.ts';

export type ManifestInput = {
  readonly manifest: Members;
  readonly isDryRun: boolean;
  readonly prunes: boolean;
};

/** The steps that were made, or with a dry run would be made. `secrets` are new ones, which nothing shows again. */
export type Applied = {
  readonly isDryRun: boolean;
  readonly steps: readonly Step[];
  readonly secrets: readonly Members[];
  /** The step that failed. The steps after it were not made. */
  readonly failure?: { readonly path: string; readonly code: string; readonly message: string };
};

/** Plans a manifest, and executes the plan. Throws ApiError 400 with all problems, and 409 while another one is applied. */
export async function applyManifest(input: ManifestInput, deps: AdministrationDeps): Promise<Applied> {
  if (input.isDryRun) return { isDryRun: true, ...(await planManifest(input, deps)), secrets: [] };
  const holder = randomUUID();
  if (!(await deps.managed.claimApply(holder, deps.now()))) throw new ApiError(ADMINISTRATION.apply_running);
  try {
    return await execute(input, { ...deps, by: deps.by && { ...deps.by, applyHolder: holder } });
  } finally {
    // The result or the first error is the one to report; a lease that cannot be released expires.
    await deps.managed.releaseApply(holder).catch(() => undefined);
  }
}

const SECTIONS = { applications: anyObject(), members: anyObject() };

/** Throws ApiError 400 with all problems of the manifest. */
async function planManifest(
  { manifest, prunes }: ManifestInput,
  deps: AdministrationDeps,
): Promise<Pick<PlanTerms, 'clientIds'> & { readonly steps: readonly Step[] }> {
  const problems = new Map<string, Mistake>();
  // The first problem of a field can cause others.
  const report = (field: string, problem: string) =>
    void problems.set(field, problems.get(field) ?? { field, problem });
  const { applications, members } = readPart('', manifest, { table: SECTIONS, report }).fields;
  const managed = prunes ? await deps.managed.listManaged() : new Set();
  const terms: PlanTerms = { report, clientIds: new Map(), mayDelete: ({ id }) => managed.has(id) };
  const steps = await planApplications(applications, terms, deps);
  const all = [...steps, ...(await planMembers(members, terms, deps))];
  refuseMistakes([...problems.values()]);
  const isDeletion = ({ action }: Step) => action === 'delete';
  const ordered = [...all.filter((step) => !isDeletion(step)), ...all.filter(isDeletion)];
  return { clientIds: terms.clientIds, steps: ordered };
}

async function execute(input: ManifestInput, deps: AdministrationDeps): Promise<Applied> {
  const { steps, clientIds } = await planManifest(input, deps);
  const secrets: Members[] = [];
  for (const [i, step] of steps.entries()) {
    try {
      for (const call of step.calls) {
        const document = await perform(call, step, { ...deps, clientIds });
        const created = secretsIn(call, document);
        if (created !== undefined) secrets.push({ path: step.path, ...created });
      }
    } catch (reason) {
      const failure = { path: step.path, ...toFailure(reason, i + secrets.length, deps) };
      return { isDryRun: false, steps: steps.slice(0, i), secrets, failure };
    }
  }
  return { isDryRun: false, steps, secrets };
}

/** Performs an operation on the application of the step. Notes the id of a new one. */
async function perform(
  { operation, fields }: Call,
  { key }: Step,
  deps: AdministrationDeps & Pick<PlanTerms, 'clientIds'>,
): Promise<Members> {
  const { clientIds } = deps;
  const clientId = key === undefined ? undefined : clientIds.get(key);
  const { client_ids: ids } = fields;
  const input = {
    ...(clientId !== undefined &&
      pick({ client_id: clientId, endpoint_id: firstEndpointId(clientId) }, operation.pathFields)),
    ...fields,
    ...(Array.isArray(ids) && { client_ids: ids.map((id) => clientIds.get(id) ?? id) }),
  };
  const result = await operation.run(readInput(operation, toRequest(operation, input)), deps);
  const document = asObject(operation.toDocument(result, deps)) ?? {};
  if (key !== undefined && typeof document.client_id === 'string') clientIds.set(key, document.client_id);
  return document;
}

/** The members of results that have a secret, by operation. */
const SECRETS: Readonly<Record<string, readonly string[]>> = {
  createApplication: ['client_secret', 'webhook_secret'],
  updateApplication: ['client_secret', 'webhook_secret'],
  addEndpoint: ['secret'],
  createInvitation: ['url'],
};

function secretsIn({ operation: { id } }: Call, document: Members): Members | undefined {
  const secrets = Object.entries(document).filter(([name]) => SECRETS[id]?.includes(name));
  const ids = pick(document, { client_id: undefined, endpoint_id: undefined });
  return secrets.length === 0 ? undefined : { ...ids, ...Object.fromEntries(secrets) };
}

/** Returns a failure for the result, so that it lists what was done. Throws an unexpected error if nothing was. */
function toFailure(reason: unknown, done: number, { noteFailure }: AdministrationDeps) {
  const error = toApiError(reason);
  if (error instanceof ApiError) return { code: String(error.body.code), message: error.message };
  if (done === 0) throw reason;
  noteFailure?.(reason);
  const isVisible = noteFailure === undefined && reason instanceof Error;
  const message = isVisible ? reason.message : 'Something went wrong on our side; the log has the reason';
  return { code: 'server_error', message };
}
