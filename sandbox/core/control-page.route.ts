/** /control and its forms. Every form leads back to the page, which says what was done. */
import type { FastifyPluginAsync, FastifyReply } from 'fastify';

import { readBody, readQuery, text } from '../../src/http/fields.ts';
import { sendPage } from '../../src/http/page.ts';
import { type ControlNotice, type ControlView, controlPage } from './control.page.ts';
import { parseTurn } from './control.schema.ts';
import type { ControlDeps } from './control-deps.ts';
import { ACCESS_FORM, CLOCK_FORM, faultOfForm, OFF_FORM, personOf, SWITCH_FORM } from './control-form.ts';
import { STYLE_SOURCE } from './page-answer.ts';

const NOTICES = {
  on: 'Switched on.',
  off: 'Switched off.',
  turned: 'The clock was moved.',
  back: 'The clock shows real time again. Expired tokens stay expired.',
  withdrawn: 'Access was withdrawn. The application’s first page shows changed passwords.',
  demanded: 'The administrator’s consent is required from now on.',
} as const;

type NoticeName = keyof typeof NOTICES;

export function controlPageRoute(deps: ControlDeps): FastifyPluginAsync {
  const { clock, faults, providers = [], people = [], organisation } = deps;
  const back = (reply: FastifyReply, notice: NoticeName) => reply.redirect(`/control?done=${notice}`, 303);
  const send = (reply: FastifyReply, notice: ControlNotice | undefined) =>
    sendPage(
      reply,
      { document: controlPage(viewOf(deps, notice)), policy: { styleSource: STYLE_SOURCE } },
      notice?.isTrouble ? 400 : 200,
    );
  const refuse = (reply: FastifyReply, text: string) => send(reply, { isTrouble: true, text });

  return async (app) => {
    app.get('/control', async ({ query }, reply) =>
      send(reply, noticeOf(readQuery(query, { done: text({}) }).done)),
    );
    app.post('/control/switch-on', async ({ body }, reply) => {
      const fault = faultOfForm(readBody(body, SWITCH_FORM), people);
      if ('trouble' in fault) return refuse(reply, fault.trouble);
      faults.set(fault);
      return back(reply, 'on');
    });
    app.post('/control/switch-off', async ({ body }, reply) => {
      faults.clear(readBody(body, OFF_FORM).id);
      return back(reply, 'off');
    });
    app.post('/control/turn', async ({ body }, reply) => {
      const { turn = '' } = readBody(body, CLOCK_FORM);
      if (turn === 'back') clock.reset();
      else clock.turn(parseTurn(turn, clock.now()));
      return back(reply, turn === 'back' ? 'back' : 'turned');
    });
    app.post('/control/withdraw', async ({ body }, reply) => {
      const person = personOf(readBody(body, ACCESS_FORM).who, people);
      const provider = providers.find(({ kind }) => kind === person?.kind);
      if (person === undefined || provider === undefined) return refuse(reply, 'Choose a person.');
      await provider.manual.revokeAccess(person.email);
      return back(reply, 'withdrawn');
    });
    app.post('/control/demand-consent', async (_request, reply) => {
      if (organisation === undefined) return refuse(reply, 'This sandbox has no Microsoft organization.');
      await organisation.demandConsent();
      return back(reply, 'demanded');
    });
  };
}

const noticeOf = (done = ''): ControlNotice | undefined =>
  // Only its own keys: the address can say anything.
  Object.hasOwn(NOTICES, done) ? { isTrouble: false, text: NOTICES[done as NoticeName] } : undefined;

function viewOf(
  { clock, faults, providers = [], people = [], organisation, sent, demoUrl }: ControlDeps,
  notice: ControlNotice | undefined,
): ControlView {
  return {
    faults: faults.list(),
    now: clock.now(),
    ahead: clock.ahead(),
    people,
    hasAccess: providers.length > 0 && people.length > 0,
    organisation: organisation?.name,
    sent: sent?.(),
    demoUrl,
    notice,
  };
}
