/** Routes by which an owner removes a member's sign-in methods, one at a time. */
import { disconnectMemberIdentity, removeMemberPasskey } from '../people/people.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { showPerson } from './people.route.ts';

const LIST = '/dashboard/people';
const ONE = `${LIST}/:personId`;

export function personAccessRoutes(deps: OpenDashboard): DashboardRoute[] {
  /** If the method is the member's last one, their page shows why it stays. */
  const remove = async (visit: DashboardVisit, done: string, work: (personId: string) => Promise<void>) => {
    const personId = visit.parameter('personId');
    try {
      await work(personId);
    } catch (reason) {
      if (!(reason instanceof PeopleRefusal) || reason.kind !== 'last_way') throw reason;
      return showPerson(visit, deps, messages.text('person.last_way'));
    }
    return goTo(visit.reply, `${LIST}/${personId}?done=${done}`);
  };
  return [
    {
      method: 'POST',
      path: `${ONE}/passkeys/:passkeyId/remove`,
      needs: 'people.manage',
      isFresh: true,
      handle: (visit) =>
        remove(visit, 'passkey_removed', (personId) =>
          removeMemberPasskey(
            visit.person,
            { personId, passkeyId: visit.parameter('passkeyId') },
            visit.deps,
          ),
        ),
    },
    {
      method: 'POST',
      path: `${ONE}/single-sign-on/remove`,
      needs: 'people.manage',
      isFresh: true,
      handle: (visit) =>
        remove(visit, 'disconnected', (personId) =>
          disconnectMemberIdentity(visit.person, personId, visit.deps),
        ),
    },
  ];
}
