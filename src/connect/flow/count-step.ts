/** How far flows come, counted for the overview of operators. */
import type { AuthorizationRequest, FlowStep } from './authorization-request-store.ts';
import type { ConnectDeps } from './connect-deps.ts';

type CountDeps = Pick<ConnectDeps, 'requests' | 'activityNotes' | 'log'>;

/** Counts that a request came so far, and what it skipped on the way: each step of it once. Nothing fails for that. */
export async function countStep(
  { transactionId, clientId }: Pick<AuthorizationRequest, 'transactionId' | 'clientId'>,
  step: FlowStep,
  { requests, activityNotes, log }: CountDeps,
): Promise<void> {
  try {
    for (const reached of await requests.reachStep(transactionId, step))
      activityNotes.add(clientId, `flow_${reached}`);
  } catch (err) {
    log.error({ err, clientId, step }, 'A step of a flow could not be counted');
  }
}
