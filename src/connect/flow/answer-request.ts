/** Ends a flow: the user allows or denies once. A repeated click gets the same result. */
import { hashOfSecret } from '../../lib/encryption.ts';
import { type Decision, decideApproval, type GroupsOfUser, isSameAccount } from './account-groups.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';
import { opaqueCode } from './authorization-response.ts';
import type { ConnectDeps } from './connect-deps.ts';
import { countStep, deviceHashOf, loadApprovalTerms, type PageVisit } from './connect-flow.ts';

/** The state of a request. `waits`: another approval has to be redeemed first. */
export type Answer = AuthorizationRequest['status'] | 'waits';

type AnswerDeps = Pick<ConnectDeps, 'requests' | 'clients' | 'sealer' | 'activityNotes' | 'log' | 'now'>;

/**
 * Approves the request unless it was answered before, and returns its state: `open` if there is no account to allow,
 * `denied` if the user disconnected the last one. Only the first approval writes the record of the code.
 */
export async function approve(page: PageVisit, deps: AnswerDeps): Promise<Answer> {
  const { visit, request } = page;
  if (request.status !== 'open') return request.status;
  const { requests, now } = deps;
  const terms = await loadApprovalTerms(request, deps);
  const codeHash = terms.codeFormat === 'opaque' ? hashOfSecret(opaqueCode(request, deps)) : undefined;
  const approver = { request, deviceHash: deviceHashOf(visit), codeHash, now: terms.now };
  let accountKeys: readonly string[] = [];
  const result = await requests.approveRequest(approver, (user) => {
    const decision = decideApproval(request, user, terms);
    accountKeys = listCoveredKeys(decision, user);
    return decision;
  });
  switch (result) {
    case 'answered':
      return readAnswer(request, deps);
    case 'nothing':
      return request.hasDisconnected ? deny(page, deps) : 'open';
    case 'waits':
      // Logged once, although the page asks again every few seconds.
      if (request.allowedAt === undefined) {
        await requests.noteProgress(request.transactionId, { allowedAt: now() });
        deps.log.info({ event: 'approval_waits', ...whoAnswers(page) }, 'A consent waits for an earlier one');
      }
      return 'waits';
    default:
      deps.log.info(
        { event: 'access_allowed', ...whoAnswers(page), scope: request.scope, accountKeys },
        'Access was allowed',
      );
      await countStep(request, 'allowed', deps);
      return 'approved';
  }
}

/** Denies the request unless it was answered before, and returns its state. */
export async function deny(page: PageVisit, deps: AnswerDeps): Promise<Answer> {
  const { request } = page;
  if (request.status !== 'open') return request.status;
  if (!(await deps.requests.denyRequest(request.transactionId, deps.now()))) return readAnswer(request, deps);
  deps.log.info({ event: 'access_denied', ...whoAnswers(page) }, 'Access was denied');
  deps.activityNotes.add(request.clientId, 'flow_denied');
  return 'denied';
}

function listCoveredKeys(decision: Decision, { groups }: GroupsOfUser): readonly string[] {
  if (decision === 'nothing' || decision === 'waits') return [];
  const { coverage, joined } = decision;
  const covered = new Set([...coverage.map(({ groupKey }) => groupKey), ...(joined?.from ?? [])]);
  const accounts = groups.flatMap((group) => (covered.has(group.groupKey) ? group.accounts : []));
  return accounts
    .filter((one, index) => !accounts.slice(0, index).some((earlier) => isSameAccount(earlier, one)))
    .map(({ accountKey }) => accountKey);
}

const whoAnswers = ({ visit, request }: PageVisit) => ({
  clientId: request.clientId,
  userId: request.userId,
  transactionId: request.transactionId,
  address: visit.address,
});

const readAnswer = async (
  { transactionId }: AuthorizationRequest,
  { requests }: AnswerDeps,
): Promise<Answer> => (await requests.findRequest(transactionId))?.status ?? 'open';
