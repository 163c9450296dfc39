/** The system page for owners: checks, instances, jobs, backups and keys. */
import type { FastifyReply } from 'fastify';

import { notice } from '../design/parts.page.ts';
import { html } from '../http/html.ts';
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { SYSTEM, systemContent } from './pages/system.page.ts';
import { freshPost, get, post } from './routes.ts';
import { makeBackup, rotateDeliveryKeys, rotateTokenKeys, runChecks, systemFigures } from './system.ts';

export const systemRoutes = (): DashboardRoute[] => [
  get(SYSTEM, 'system.read', (visit) => showSystem(visit)),
  post(`${SYSTEM}/check`, 'system.change', async ({ reply, deps }) => {
    await runChecks(deps);
    return goTo(reply, `${SYSTEM}?done=checked`);
  }),
  post(`${SYSTEM}/backup`, 'system.change', async (visit) => {
    const refusal = await makeBackup(visit.deps);
    return refusal === undefined
      ? goTo(visit.reply, `${SYSTEM}?done=backup`)
      : showSystem(visit, messages.text(`system.backup.${refusal}`));
  }),
  freshPost(`${SYSTEM}/signing-keys/rotate`, 'system.change', async ({ reply, field, deps }) => {
    await rotateTokenKeys(field('active'), deps);
    return goTo(reply, `${SYSTEM}?done=signing_keys`);
  }),
  freshPost(`${SYSTEM}/webhook-keys/rotate`, 'system.change', async ({ reply, field, deps }) => {
    await rotateDeliveryKeys(field('active'), deps);
    return goTo(reply, `${SYSTEM}?done=webhook_keys`);
  }),
];

const DONE = ['checked', 'backup', 'signing_keys', 'webhook_keys'] as const;

async function showSystem(visit: DashboardVisit, problem?: string): Promise<FastifyReply> {
  const { viewer, query, show, deps } = visit;
  const done = DONE.find((one) => one === query('done'));
  const resultNotice =
    problem !== undefined
      ? notice('trouble', html`${problem}`, true)
      : done !== undefined && notice('done', html`${messages.text(`system.done.${done}`)}`, true);
  const content = systemContent(await systemFigures(deps), { said: resultNotice, viewer });
  return show({ title: messages.text('system.title'), content }, problem === undefined ? 200 : 409);
}
