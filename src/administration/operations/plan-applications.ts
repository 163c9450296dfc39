/** Plans the applications of a manifest, with all that belongs to one. */
import { APP_KINDS, checkProviderApp } from '../../access/provider-apps.ts';
import { readPrimaryColor } from '../../branding/look-input.ts';
import { anyObject, asObject, flag, type Members, type Table, text } from '../../http/fields.ts';
import type { Client } from '../../oauth/client.ts';
import { readSettings } from '../application-subject.ts';
import { readableApplications, settingsProblems } from '../applications.ts';
import { APPLICATION } from '../documents/application.ts';
import { TEXT_SETTINGS } from '../documents/application-settings.ts';
import { toDocument } from '../documents/field.ts';
import { REVIEWED } from '../documents/review.ts';
import {
  createApplicationOperation,
  deleteApplicationOperation,
  updateApplication,
} from './application-operations.ts';
import { updateBranding } from './branding-operations.ts';
import { readSentKeys } from './key-fields.ts';
import { asText, check, differences, pathOf, pick, readPart, readSection } from './manifest.ts';
import type { AdministrationDeps } from './operation.ts';
import { planEndpoints } from './plan-endpoints.ts';
import { deletion, type Planned, type PlanTerms, type Step, stepsFor } from './plan-step.ts';
import { removeProviderApp, setProviderAppOperation } from './provider-app-operations.ts';
import { REVIEW_STEP_OPERATIONS, verifyApplication } from './review-operations.ts';
import { setWebhookKeys } from './signing-key-operations.ts';

const {
  redirect_uri: _default,
  add_redirect_uris: _added,
  remove_redirect_uris: _removed,
  ...settings
} = { ...updateApplication.fields, own_webhook_keys: setWebhookKeys.fields.own_webhook_keys };
/** The settings of an application. Its redirect URIs are one list. */
export const SETTINGS: Table = settings;

const FIELDS = {
  ...{ client_id: text({ max: 512 }), ...settings },
  ...{ branding: anyObject(), provider_apps: anyObject(), verified: flag(), endpoints: anyObject() },
};

/** Plans the section. Adds the ids of existing applications to `clientIds`. */
export async function planApplications(
  section: unknown,
  terms: PlanTerms,
  deps: AdministrationDeps,
): Promise<Step[]> {
  const clients = await readableApplications(deps.actor, deps);
  const items = clients.map((client) => ({ id: client.clientId, name: client.name, client }));
  const readName = (key: string, fields: Members) => asText(fields.name) ?? key;
  const { pairs, rest } = readSection('applications', section, {
    ...{ table: FIELDS, items, readName, idField: 'client_id', report: terms.report },
  });
  const steps: Step[] = [];
  for (const [{ key, path, fields, name }, item] of pairs) {
    terms.clientIds.set(key, item?.id);
    // A key that is the name has the limits of one.
    readPart(path, { name }, { table: SETTINGS, report: terms.report });
    const document = item && (await readDocument(item.client, deps));
    const planned = { key, path, clientId: item?.id, document, fields: { name, ...fields } };
    const ofSettings = await planSettings(planned, terms, deps);
    steps.push(...ofSettings, ...(await planBranding(planned, terms)));
    steps.push(...(await planApps(planned, terms, deps)), ...(await planEndpoints(planned, terms, deps)));
    steps.push(...planVerification(planned, ofSettings));
  }
  const deleted = section === undefined ? [] : rest.filter(terms.mayDelete);
  const deletions = deleted.map(({ id, name }) =>
    deletion(pathOf('applications', name), deleteApplicationOperation, { client_id: id }),
  );
  return [...steps, ...deletions];
}

/** Returns the document of an application, as `client show` prints it. */
export const readDocument = async (client: Client, deps: AdministrationDeps): Promise<Members> =>
  toDocument(APPLICATION, await readSettings(client, deps));

async function planSettings(
  { key, path, fields: given, clientId, document }: Planned,
  { report }: PlanTerms,
  deps: AdministrationDeps,
): Promise<Step[]> {
  // The keys that were read at an address are no setting.
  const before = document?.jwks_uri ? { ...document, jwks: null } : document;
  const { share_address: isShared, ...settings } = pick(given, SETTINGS);
  const jwks = asObject(settings.jwks);
  // Keys are compared as they are stored, and a private one is never part of a plan.
  const keys = await check(
    pathOf(path, jwks === undefined ? 'jwks_uri' : 'jwks'),
    () => readSentKeys({ jwks, jwks_uri: asText(settings.jwks_uri) }, deps.actor, clientId ?? ''),
    report,
  );
  const fields: Members = { ...settings, ...(keys && 'jwks' in keys && { jwks: JSON.parse(keys.jwks) }) };
  const changed = Object.fromEntries(differences(fields, before).map(({ field }) => [field, fields[field]]));
  const typed = Object.entries(TEXT_SETTINGS).map(([key, { name }]) => [key, asText(changed[name])]);
  const { redirect_uris: uris = clientId === undefined ? [] : undefined } = changed;
  const redirectUris = Array.isArray(uris) ? uris : undefined;
  if (redirectUris?.length === 0)
    report(pathOf(path, 'redirect_uris'), 'must have at least one redirect URI');
  const input = { clientId: clientId ?? '', redirectUris, isShared: isShared === true };
  const problems = await settingsProblems(deps.actor, { ...input, typed: Object.fromEntries(typed) }, deps);
  for (const [key, sentences] of Object.entries(problems)) {
    const name = TEXT_SETTINGS[key as keyof typeof TEXT_SETTINGS]?.name ?? 'redirect_uris'; // a key of the problems
    report(pathOf(path, name), `is not valid: ${[sentences].flat().join('. ')}`);
  }
  const creation = clientId === undefined ? [createApplicationOperation] : [];
  const operations = [...creation, updateApplication, setWebhookKeys];
  return stepsFor({ path, fields }, { key, operations, before, options: { share_address: isShared } });
}

async function planBranding(
  { key, path: parent, fields: given, document }: Planned,
  { report }: PlanTerms,
): Promise<Step[]> {
  const { path, fields } = readPart(pathOf(parent, 'branding'), given.branding, {
    ...{ table: updateBranding.fields, report },
  });
  const { primary_color: color } = fields;
  const readColor = () => (color ? { primary_color: readPrimaryColor(String(color)) } : {});
  const canonical = { ...fields, ...(await check(pathOf(path, 'primary_color'), readColor, report)) };
  const before = document && asObject(document.branding);
  return stepsFor({ path, fields: canonical }, { key, operations: [updateBranding], before });
}

const APPS = Object.fromEntries(APP_KINDS.map((kind) => [kind, anyObject()]));

async function planApps(
  { key, path: parent, fields: { provider_apps: section }, clientId }: Planned,
  { report }: PlanTerms,
  { providerApps }: AdministrationDeps,
): Promise<Step[]> {
  const { path: place } = readPart(pathOf(parent, 'provider_apps'), section, { table: APPS, report });
  const steps: Step[] = [];
  for (const kind of APP_KINDS) {
    const entry = asObject(section)?.[kind];
    if (asObject(entry ?? {}) === undefined || entry === undefined) continue;
    const stored = clientId === undefined ? undefined : await providerApps.findProviderApp(clientId, kind);
    const part = readPart(pathOf(place, kind), entry, { table: setProviderAppOperation.fields, report });
    const sent = Object.entries(part.fields).map(([name, value]) => [name, String(value).trim()]);
    const fields: Readonly<Record<string, string>> = Object.fromEntries(sent);
    const { app_client_id: appClientId = stored?.clientId, client_secret: clientSecret } = fields;
    if (entry !== null && !appClientId) report(pathOf(part.path, 'app_client_id'), 'is missing');
    if (entry !== null && !clientSecret && appClientId !== stored?.clientId)
      report(pathOf(part.path, 'client_secret'), 'is missing: the stored secret belongs to another app');
    await check(part.path, () => checkProviderApp({ appClientId, clientSecret }), report);
    const before = { app_client_id: stored?.clientId ?? null, client_secret: stored?.clientSecret ?? null };
    const operations = [entry === null ? removeProviderApp : setProviderAppOperation];
    const after = entry === null ? { app_client_id: null } : fields;
    const options = { provider: kind, ...fields };
    steps.push(...stepsFor({ ...part, fields: after }, { key, operations, before, options }));
  }
  return steps;
}

const REVIEWED_NAMES = Object.values(REVIEWED).map(({ name }) => name);

/** Plans the verification after the settings. `true` approves the present values. */
function planVerification(
  { key, path, fields: { verified }, document = {} }: Planned,
  ofSettings: readonly Step[],
): Step[] {
  if (verified === undefined) return [];
  const changes = ofSettings.flatMap((step) => step.changes);
  const isEdited = changes.some(({ field }) => REVIEWED_NAMES.includes(field));
  const isSame = verified === true ? isApproved(document) && !isEdited : document.verified !== true;
  const operations = [verified === true ? verifyApplication : REVIEW_STEP_OPERATIONS.withdraw];
  const before = { verified: isSame === verified };
  return stepsFor(
    { path, fields: { verified } },
    { key, operations, before, options: { note: 'kalends apply' } },
  );
}

/** Returns whether the present values are approved. */
export const isApproved = ({ verified, review_status: status }: Members): boolean =>
  verified === true && status === 'approved';
