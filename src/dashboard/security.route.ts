/** The page *Security* of an application. */
import { changeSecurity, type SecurityChange } from '../administration/applications.ts';
import { readSentKeys } from '../administration/operations/key-fields.ts';
import { checkApplication } from '../administration/security-check.ts';
import { auditedUrl } from '../audit/audited-url.ts';
import { PROVIDER_KINDS } from '../calendars/provider-facts.ts';
import { asObject } from '../http/fields.ts';
import { ApiError, apiMessage } from '../http/refusal.ts';
import { jsonIn } from '../lib/json.ts';
import { type Client, RETURNING_USERS } from '../oauth/client.ts';
import { parseSwitch, SWITCH_KEYS, type Switches, type SwitchKey, switchField } from '../oauth/switches.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { may } from '../people/permission.ts';
import { isFresh } from '../people/sessions.ts';
import { readClient, showTab } from './application-tab.ts';
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { APPLICATIONS, applicationPath } from './pages/applications.page.ts';
import {
  newSecretContent,
  type SecurityParts,
  securityContent,
  storedSecurity,
  type TypedSecurity,
} from './pages/security.page.ts';
import { get, post } from './routes.ts';

const PATH = `${APPLICATIONS}/:clientId/security`;
const TAB = '/security';

export const securityRoutes = (): DashboardRoute[] => [
  get(PATH, 'application.read', async (visit) => {
    const client = await readClient(visit);
    return showSecurity(visit, { client, typed: storedSecurity(client) });
  }),
  post(PATH, 'application.change', async (visit) => {
    const { person, reply, field, deps } = visit;
    const client = await readClient(visit);
    const { clientId } = client;
    const typed = readTyped(visit, storedSecurity(client));
    const { change, wrong } = readChange(typed, client);
    const { keys, wrongKeys } = await readKeys(typed, visit);
    const parts = { client, typed, wrong, wrongKeys };
    if (wrong.length > 0 || wrongKeys !== undefined || typed.providers?.length === 0)
      return showSecurity(visit, parts, 400);
    // A registered key is as good as a secret, and a public application needs neither.
    const { profile, clientAuthentication } = change;
    const givesAccess =
      profile === 'default' || clientAuthentication !== undefined || (keys ?? undefined) !== undefined;
    if (givesAccess && !isFresh(visit, deps.now())) throw new PeopleRefusal('not_fresh');
    const confirmed = field('confirmed').split(' ');
    const changed = await changeSecurity(person, { clientId, change: { ...change, keys }, confirmed }, deps);
    if ('problem' in changed) return showSecurity(visit, { ...parts, problem: changed.problem }, 400);
    if ('unconfirmed' in changed) return showSecurity(visit, { ...parts, ...changed });
    const { clientSecret } = changed;
    if (clientSecret === undefined) return goTo(reply, `${applicationPath(clientId)}${TAB}?done=saved`);
    return showTab(visit, { client, tab: TAB, content: newSecretContent(clientSecret, clientId) });
  }),
];

/** Shows the form with the requirements of `fapi2`. */
async function showSecurity(
  visit: DashboardVisit,
  parts: Omit<SecurityParts, 'check' | 'keys'>,
  status = 200,
) {
  const { client } = parts;
  const { person: actor, deps } = visit;
  const stored = await deps.clientKeys.findKeys(client.clientId);
  // The query of the address can contain a secret.
  const keys =
    stored?.jwksUri === undefined || may(actor, 'application.change', client.clientId)
      ? stored
      : { ...stored, jwksUri: auditedUrl(stored.jwksUri) };
  const subject = { clientId: client.clientId, profile: 'fapi2' } as const;
  const check = await checkApplication(visit.person, subject, { ...visit.deps, url: visit.deps.publicUrl });
  const content = securityContent({ ...parts, check, keys }, visit.viewer);
  return showTab(visit, { client, tab: TAB, content, status, done: { saved: 'saved' } });
}

/** Returns the typed values. Absent fields have the stored ones. */
function readTyped({ field, fields }: DashboardVisit, stored: TypedSecurity): TypedSecurity {
  const typedIn = (name: string, value: string) => fields(name)[0]?.trim() ?? value;
  const picked = fields('provider');
  return {
    switches: Object.fromEntries(
      SWITCH_KEYS.map((key) => [key, typedIn(switchField(key), stored.switches[key])]),
    ) as TypedSecurity['switches'], // a value for each key
    returningUsers: typedIn('returning_users', stored.returningUsers),
    providers:
      field('providers') === 'only' ? PROVIDER_KINDS.filter((kind) => picked.includes(kind)) : undefined,
    keys: {
      jwks: typedIn('jwks', ''),
      jwksUri: typedIn('jwks_uri', ''),
      removes: field('remove_keys') === 'yes',
    },
  };
}

/** Returns the switches that differ from the stored ones, so that a new profile sets the others. */
function readChange(
  typed: TypedSecurity,
  client: Client,
): { readonly change: SecurityChange; readonly wrong: readonly SwitchKey[] } {
  const parsed = SWITCH_KEYS.map((key) => [key, parseSwitch(key, typed.switches[key])] as const);
  const changed = parsed.filter(([key, value]) => value !== undefined && value !== client[key]);
  const switches: Partial<Switches> = Object.fromEntries(changed);
  const returningUsers = RETURNING_USERS.find((one) => one === typed.returningUsers);
  const change = { ...switches, returningUsers, providers: typed.providers ?? null };
  return { change, wrong: parsed.flatMap(([key, value]) => (value === undefined ? [key] : [])) };
}

/** Returns the typed keys, null to remove all, or why they cannot be used. */
async function readKeys(
  { keys: { jwks, jwksUri, removes } }: TypedSecurity,
  { person, parameter }: DashboardVisit,
): Promise<Pick<SecurityChange, 'keys'> & Pick<SecurityParts, 'wrongKeys'>> {
  const sent = {
    jwks: jwks === '' ? undefined : (asObject(jsonIn(jwks)) ?? {}),
    jwks_uri: jwksUri === '' ? undefined : jwksUri,
  };
  try {
    return {
      keys: (await readSentKeys(sent, person, parameter('clientId'))) ?? (removes ? null : undefined),
    };
  } catch (refusal) {
    if (!(refusal instanceof ApiError)) throw refusal;
    return { wrongKeys: apiMessage(refusal) };
  }
}
