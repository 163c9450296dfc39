/** Records refused sign-ins: metric, log and, if a password or passkey was wrong, the member's audit log. */
import { finished } from 'node:stream';

import { toNetworks } from '../http/address-key.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import type { SignInWay } from '../people/sign-in.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import type { OpenVisit } from './guard.ts';

type Place = { readonly way: SignInWay; readonly visit: Pick<OpenVisit, 'http' | 'reply'> };

/** Returns or throws what `signIn` does. */
export const traced = <T>(signIn: Promise<T>, place: Place, deps: OpenDashboard): Promise<T> =>
  signIn.catch(async (reason: unknown) => {
    await traceFailure(reason, place, deps);
    throw reason;
  });

export async function traceFailure(
  reason: unknown,
  { way, visit }: Place,
  deps: OpenDashboard,
): Promise<void> {
  if (!(reason instanceof PeopleRefusal)) return deps.signInEnded?.(way, 'error');
  const { http, reply } = visit;
  const { kind, target: { personId, isKnownBrowser = false } = {} } = reason;
  deps.signInEnded?.(way, kind.startsWith('too_many') ? 'too_many' : 'refused');
  const [, network] = toNetworks(http.ip);
  const count = await deps.signInLimits.countForLog(network);
  const line = { way, reason: kind, personId, network, count };
  if (count !== undefined)
    deps.log.warn({ event: 'dashboard_sign_in_refused', ...line }, 'A sign-in to the dashboard was refused');
  if (personId === undefined || (kind !== 'wrong_login' && kind !== 'wrong_passkey')) return;
  const by = { actor: { kind: 'system' }, address: http.ip, now: deps.now } as const;
  // After the response, whose time would otherwise show that the member exists.
  finished(reply.raw, () => {
    deps.people.noteRefusedSignIn(personId, isKnownBrowser, { now: deps.now(), by }).catch((err: unknown) => {
      const event = { event: 'step_not_counted', step: 'sign_in_refused', err } as const;
      deps.log.error(event, 'A refused sign-in was not counted');
    });
  });
}
