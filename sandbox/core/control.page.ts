/** /control: switches for the common faults and for time, without JavaScript. */
import { hash } from 'node:crypto';

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from 'typebox';

import { ApiError } from '../../src/http/api-error.ts';
import { type Html, html, sendPage, trusted } from '../../src/http/html.ts';
import { COMMON_FAULTS } from './common-faults.ts';
import { invalid, KINDS, turnOf } from './control.schema.ts';
import type { ControlDeps } from './control-deps.ts';
import type { Fault, SandboxKind, SetFault } from './faults.ts';

const SwitchForm = Type.Object({
  provider: Type.String(),
  fault: Type.String(),
  user: Type.Optional(Type.String()),
  times: Type.Optional(Type.String()),
});
const OffForm = Type.Object({ id: Type.Optional(Type.String()) });
const ClockForm = Type.Object({ turn: Type.String() });
const AccessForm = Type.Object({ provider: Type.String(), user: Type.String() });

export function controlPage({ clock, faults, providers = [] }: ControlDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/control', async (_request, reply) =>
      sendPage(reply, 200, pageOf(faults.list(), clock.now(), providers.length > 0), POLICY),
    );
    app.post('/control/switch-on', { schema: { body: SwitchForm } }, async ({ body }, reply) => {
      faults.set(faultOfForm(body));
      return reply.redirect('/control', 303);
    });
    app.post('/control/switch-off', { schema: { body: OffForm } }, async ({ body: { id } }, reply) => {
      faults.clear(id || undefined);
      return reply.redirect('/control', 303);
    });
    app.post('/control/turn', { schema: { body: ClockForm } }, async ({ body: { turn } }, reply) => {
      if (turn === 'back') clock.reset();
      else clock.turn(turnOf(turn, clock.now()));
      return reply.redirect('/control', 303);
    });
    app.post('/control/withdraw', { schema: { body: AccessForm } }, async ({ body }, reply) => {
      const provider = providers.find(({ kind }) => kind === body.provider);
      if (provider === undefined) throw invalid('provider', 'provider is none that runs here');
      await provider.hand.revokeAccess(body.user.trim()).catch((cause: unknown) => {
        throw new ApiError(404, 'not_found', `${body.provider} knows nobody called ${body.user}`, { cause });
      });
      return reply.redirect('/control', 303);
    });
  };
}

function faultOfForm({ provider, fault: name, user = '', times = '' }: Static<typeof SwitchForm>): Fault {
  const kind = KINDS.find((known) => known === provider);
  if (kind === undefined) throw invalid('provider', `provider is one of ${KINDS.join(', ')}`);
  const common = COMMON_FAULTS.find((known) => known.name === name);
  if (common === undefined) {
    throw invalid('fault', `fault is one of ${COMMON_FAULTS.map((known) => known.name).join(', ')}`);
  }
  const fault = common.at[kind];
  if (fault === undefined) throw invalid('fault', `“${common.label}” cannot happen at ${NAMES[kind]}`);
  if (!/^\d{0,6}$/.test(times)) throw invalid('times', 'times is a whole number, or empty for no end');
  return {
    ...fault,
    provider: kind,
    ...(user.trim() === '' ? {} : { user: user.trim() }),
    ...(Number(times) > 0 ? { times: Number(times) } : {}),
  };
}

const NAMES: Readonly<Record<SandboxKind, string>> = {
  google: 'Google',
  microsoft: 'Microsoft',
  icloud: 'iCloud',
  caldav: 'CalDAV',
};

const STYLES = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-inline-size: 46rem; margin: 3rem auto; padding-inline: 1.5rem; }
h1, h2 { line-height: 1.2; }
form.grid { display: grid; gap: .75rem; justify-items: start; }
label { display: grid; gap: .25rem; }
select, input, button { font: inherit; padding: .35rem .6rem; max-inline-size: 100%; }
table { border-collapse: collapse; inline-size: 100%; }
th, td { text-align: start; padding: .4rem .75rem .4rem 0; border-block-end: 1px solid #8886; }
.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }`;

const POLICY = { styleSource: `'sha256-${hash('sha256', STYLES, 'base64')}'`, formTargets: [] };

const pageOf = (set: readonly SetFault[], now: number, canWithdraw: boolean): Html => html`<html lang="en">
<head>
<meta charset="utf-8">
<title>Sandbox controls</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${trusted(STYLES)}</style>
</head>
<body>
<main>
<h1>Sandbox controls</h1>
<h2>Faults</h2>
${set.length === 0 ? html`<p>Nothing is broken.</p>` : tableOf(set)}
<form class="grid" method="post" action="/control/switch-on">
${providerSelect()}
<label>Fault <select name="fault">${COMMON_FAULTS.map(
  ({ name, label }) => html`<option value="${name}">${label}</option>`,
)}</select></label>
<label>Only for the user <input name="user" type="text" placeholder="everybody" autocomplete="off"></label>
<label>How many requests <input name="times" type="number" min="1" placeholder="no end"></label>
<button>Switch on</button>
</form>
<h2>Time</h2>
<p>It is <time datetime="${isoOf(now)}">${isoOf(now)}</time> in the sandbox.</p>
<form class="row" method="post" action="/control/turn">
<button name="turn" value="PT1H">One hour on</button>
<button name="turn" value="P1D">One day on</button>
<button name="turn" value="P7D">Seven days on</button>
<button name="turn" value="back">Back to real time</button>
</form>
${canWithdraw && withdrawal}
</main>
</body>
</html>
`;

const isoOf = (now: number) => new Date(now).toISOString();

const providerSelect = () =>
  html`<label>Provider <select name="provider">${KINDS.map(
    (kind) => html`<option value="${kind}">${NAMES[kind]}</option>`,
  )}</select></label>`;

const withdrawal = html`<h2>Access</h2>
<p>A user withdraws the application’s access at the provider, or changes the password there.</p>
<form class="grid" method="post" action="/control/withdraw">
${providerSelect()}
<label>User <input name="user" type="email" required autocomplete="off"></label>
<button>Withdraw access</button>
</form>`;

const tableOf = (set: readonly SetFault[]): Html => html`<table>
<thead><tr><th scope="col">Provider</th><th scope="col">Fault</th><th scope="col">Whom</th><th scope="col">Switch</th></tr></thead>
<tbody>${set.map(
  (fault) => html`<tr>
<td>${NAMES[fault.provider]}</td>
<td>${wordsOf(fault)}</td>
<td>${fault.user ?? 'everybody'}</td>
<td><form method="post" action="/control/switch-off"><input type="hidden" name="id" value="${fault.id}">
<button aria-label="Switch off: ${wordsOf(fault)}, ${NAMES[fault.provider]}">Switch off</button></form></td>
</tr>`,
)}</tbody>
</table>
<form class="row" method="post" action="/control/switch-off"><button>Switch everything off</button></form>`;

/** The switch's own words where the fault is one of those, else what it is made of. */
function wordsOf({ provider, operation, effect, times }: SetFault): string {
  const same = ({ at }: (typeof COMMON_FAULTS)[number]) =>
    JSON.stringify(at[provider]?.effect) === JSON.stringify(effect) && at[provider]?.operation === operation;
  const words =
    COMMON_FAULTS.find(same)?.label ?? `${effectWords(effect)} at ${operation ?? 'any operation'}`;
  return times === undefined ? words : `${words} (${times} times)`;
}

function effectWords(effect: SetFault['effect']): string {
  if (effect.kind === 'latency') return `${effect.ms} ms of latency`;
  if (effect.kind === 'status') return `${effect.status} ${effect.reason ?? ''}`.trim();
  return effect.kind.replaceAll('_', ' ');
}
