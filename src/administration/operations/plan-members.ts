/** Plans the members of a manifest: people, and open invitations for their addresses. */
import { oneOf } from '../../http/fields.ts';
import { type Person, parseLogin, ROLES } from '../../people/person.ts';
import { asText, differences, pathOf, readSection } from './manifest.ts';
import { createInvitation, removeMember, updateMember, withdraw } from './member-operations.ts';
import { type AdministrationDeps, texts, unknownProblem } from './operation.ts';
import { type Call, deletion, type PlanTerms, type Step } from './plan-step.ts';

const FIELDS = { role: oneOf(ROLES), applications: texts('') };

/** `person` is undefined for an invitation. `links` are the ids of all open ones for the address, the newest first. */
type Member = Pick<Person, 'role' | 'clientIds'> & {
  readonly id: string;
  readonly name: string;
  readonly person?: Person;
  readonly links?: string[] | undefined;
};

export async function planMembers(
  section: unknown,
  terms: PlanTerms,
  deps: AdministrationDeps,
): Promise<Step[]> {
  if (section === undefined) return [];
  const { report, mayDelete } = terms;
  const items = await listMembers(deps);
  const readName = (key: string) => parseLogin(key) ?? key;
  const { pairs, rest } = readSection('members', section, {
    table: FIELDS,
    items,
    readName,
    idField: '',
    report,
  });
  const applications = await readNames(terms, deps);
  const owners = new Set(items.filter(({ person, role }) => person && role === 'owner').map(({ id }) => id));
  const steps: Step[] = [];
  for (const [{ path, name: email, fields }, member] of pairs) {
    if (parseLogin(email) === undefined) report(path, 'is not an email address');
    const role = asText(fields.role) ?? member?.role;
    const names = fields.applications as readonly string[] | undefined; // as FIELDS reads it
    const clientIds = names?.map((name, i) => applications.find(name, `${path}.applications[${i}]`));
    const after = { ...fields, ...(clientIds && { applications: clientIds.map(applications.describe) }) };
    const before = member && { role: member.role, applications: member.clientIds.map(applications.describe) };
    const changes = differences(after, before);
    if (role === undefined) report(pathOf(path, 'role'), 'is missing');
    const [, ...olderLinks] = member?.links ?? [];
    if (changes.length === 0 && olderLinks.length === 0) continue;
    const { person } = member ?? {};
    if (clientIds?.length && role !== 'developer') report(`${path}.applications`, 'are only for developers');
    if (person?.identity?.roleSource === 'claims')
      report(path, 'has the role of single sign-on: change it there');
    if (role !== 'owner' && member && owners.delete(member.id) && owners.size === 0)
      report(pathOf(path, 'role'), 'must stay owner: this is the only one');
    if (!person && changes.length > 0 && (await deps.addresses()).dashboardUrl === undefined)
      report(path, 'cannot be invited: the dashboard is off (KALENDS_DASHBOARD)');
    const values = { role, client_ids: role === 'developer' ? (clientIds ?? member?.clientIds) : [] };
    const invitation = { operation: createInvitation, fields: { ...values, email } };
    const update = { operation: updateMember, fields: { ...values, person_id: person?.personId } };
    const replaced = [...(member?.links ?? []).map(withdrawal), invitation];
    const invitations = changes.length === 0 ? olderLinks.map(withdrawal) : replaced;
    const calls = person ? [update] : invitations;
    const withdrawn = { field: 'open_invitations', before: olderLinks.length + 1, after: 1 };
    const reportedChanges = changes.length === 0 ? [withdrawn] : changes;
    steps.push({ action: member ? 'update' : 'create', path, changes: reportedChanges, calls });
  }
  // Each invitation has its own origin. The last owner stays.
  const deleted = rest
    .map((member) => ({ ...member, links: member.links?.filter((id) => mayDelete({ id })) }))
    .filter((member) => (member.links === undefined ? mayDelete(member) : member.links.length > 0))
    .filter(({ id }) => !owners.has(id) || (owners.size > 1 && owners.delete(id)));
  return [...steps, ...deleted.map(removal)];
}

function removal({ id, name, person, links = [] }: Member): Step {
  const path = pathOf('members', name);
  if (person !== undefined) return deletion(path, removeMember, { person_id: id });
  return { action: 'delete', path, changes: [], calls: links.map(withdrawal) };
}

const withdrawal = (id: string): Call => ({ operation: withdraw, fields: { invitation_id: id } });

/** Returns people, and the newest invitation for each other address. */
export async function listMembers({
  people,
  now,
}: Pick<AdministrationDeps, 'people' | 'now'>): Promise<Member[]> {
  const members = new Map<string, Member>();
  for (const person of await people.listPeople())
    members.set(person.login, { ...person, id: person.personId, name: person.login, person });
  for (const { invitationId: id, login: name, ...link } of await people.listInvitations(now())) {
    if (link.purpose !== 'invite' || name === undefined) continue;
    const { role, clientIds } = link;
    if (!members.has(name)) members.set(name, { id, name, role, clientIds, links: [] });
    members.get(name)?.links?.push(id);
  }
  return [...members.values()];
}

/** Returns the names of applications for people, and the ids of names. New ones have their key instead of an id. */
async function readNames({ clientIds, report }: PlanTerms, { clients }: Pick<AdministrationDeps, 'clients'>) {
  const all = await clients.listClients();
  const keys = new Map([...clientIds].map(([key, id]) => [id ?? key, key]));
  return {
    describe: (id: string) => keys.get(id) ?? all.find(({ clientId }) => clientId === id)?.name ?? id,
    find(text: string, path: string): string {
      if (clientIds.has(text)) return clientIds.get(text) ?? text;
      const [match, ...others] = all.filter(({ clientId, name }) => clientId === text || name === text);
      const names = [...clientIds.keys(), ...all.map(({ name }) => name)];
      if (match === undefined) report(path, unknownProblem(text, names));
      if (others.length > 0) report(path, 'is ambiguous: use the client_id');
      return match?.clientId ?? text;
    },
  };
}
