/** /control as people see it: what is broken, what time it is, and the switches, without JavaScript. */
import { type Html, html } from '../../src/http/html.ts';
import { COMMON_FAULTS, type CommonFault } from './common-faults.ts';
import type { ControlPerson } from './control-deps.ts';
import { formValue } from './control-form.ts';
import { KIND_NAMES, SANDBOX_KINDS, type SetFault } from './faults.ts';
import { sandboxDocument } from './page-answer.ts';
import { type ShownMessage, sentSection } from './sent-messages.page.ts';

export type ControlView = {
  readonly faults: readonly SetFault[];
  /** Epoch milliseconds, and by how many of them the clock was turned. */
  readonly now: number;
  readonly ahead: number;
  readonly people: readonly ControlPerson[];
  /** Whether access can be withdrawn here. */
  readonly hasAccess: boolean;
  readonly organisation: string | undefined;
  readonly sent: readonly ShownMessage[] | undefined;
  readonly demoUrl: string | undefined;
  readonly notice: ControlNotice | undefined;
};

export type ControlNotice = { readonly isTrouble: boolean; readonly text: string };

export function controlPage(view: ControlView): Html {
  const { demoUrl, notice, hasAccess, organisation, sent } = view;
  return sandboxDocument(
    'Sandbox controls',
    html`<main class="controls">
<div class="head"><h1>Sandbox controls</h1>${demoUrl && html`<a href="${demoUrl}">Back to the application</a>`}</div>
<p class="quiet">Simulate faults of the providers, move their clock, or withdraw access, and see the effect for your users. Kalends asks a provider
again if its data is older than ten seconds: wait that long, then reload the application’s page.</p>
${notice && html`<p class="notice${notice.isTrouble && ' bad'}" role="${notice.isTrouble ? 'alert' : 'status'}">${notice.text}</p>`}
${faultSection(view)}
${timeSection(view)}
${hasAccess && accessSection(view)}
${organisation !== undefined && administratorSection(organisation)}
${sent !== undefined && sentSection(sent)}
</main>`,
  );
}

function faultSection({ faults, people }: ControlView): Html {
  return html`<section class="card"><h2>Faults</h2>
${faults.length === 0 ? html`<p>No fault is on.</p>` : faultList(faults)}
<form class="row" method="post" action="/control/switch-on">
<label>Fault <select name="fault">${COMMON_FAULTS.map(
    (fault) => html`<option value="${fault.name}">${fault.label}${renderPlaces(fault)}</option>`,
  )}</select></label>
<label>Affects <select name="whom">${SANDBOX_KINDS.map(
    (kind) => html`<option value="${kind}">Everyone at ${KIND_NAMES[kind]}</option>`,
  )}${people.map(personOption)}</select></label>
<label>How many requests <input name="times" type="number" min="1" max="999999" placeholder="no end"></label>
<button class="primary">Switch on</button>
</form></section>`;
}

const personOption = (person: ControlPerson): Html =>
  html`<option value="${formValue(person)}">${KIND_NAMES[person.kind]}: ${person.email}</option>`;

/** Where it can happen, unless that is everywhere. */
function renderPlaces({ at }: CommonFault): string {
  const places = SANDBOX_KINDS.filter((kind) => at[kind] !== undefined).map((kind) => KIND_NAMES[kind]);
  return places.length === SANDBOX_KINDS.length ? '' : ` (${places.join(', ')})`;
}

function faultList(faults: readonly SetFault[]): Html {
  return html`<ul class="faults">${faults.map(
    (
      fault,
    ) => html`<li><div>${labelOf(fault)}<span class="quiet">${KIND_NAMES[fault.provider]}: ${whomOf(fault)}</span></div>
<form method="post" action="/control/switch-off"><input type="hidden" name="id" value="${fault.id}">
<button aria-label="Switch off: ${labelOf(fault)}, ${KIND_NAMES[fault.provider]}">Switch off</button></form></li>`,
  )}</ul>
${faults.length > 1 && html`<form class="row" method="post" action="/control/switch-off"><button>Switch all off</button></form>`}`;
}

function whomOf({ user, times }: SetFault): string {
  const limit = times === undefined ? '' : times === 1 ? ', once' : `, ${times} times`;
  return `${user ?? 'everyone'}${limit}`;
}

/** The label of the switch that sets this fault; of another fault its effect and operation. */
function labelOf({ provider, operation, effect }: SetFault): string {
  const same = ({ at }: CommonFault) =>
    JSON.stringify(at[provider]?.effect) === JSON.stringify(effect) && at[provider]?.operation === operation;
  return COMMON_FAULTS.find(same)?.label ?? `${effectLabel(effect)} at ${operation ?? 'any operation'}`;
}

function effectLabel(effect: SetFault['effect']): string {
  if (effect.kind === 'latency') return `${effect.ms} ms of latency`;
  if (effect.kind === 'status') return `${effect.status} ${effect.reason ?? ''}`.trim();
  return effect.kind.replaceAll('_', ' ');
}

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' });
const HOUR = 3_600_000;

function timeSection({ now, ahead }: ControlView): Html {
  return html`<section class="card"><h2>Time</h2>
<p>At the providers it is <strong><time datetime="${new Date(now).toISOString()}">${DATE.format(now)} UTC</time></strong>,
${aheadText(ahead)}.</p>
<p class="quiet">Access tokens are valid for an hour. The Google app of the sandbox has the status Testing, like every new app: its users must sign in again
after seven days.</p>
<form class="row" method="post" action="/control/turn">
<button name="turn" value="PT1H">One hour on</button>
<button name="turn" value="P1D">One day on</button>
<button name="turn" value="P8D">Eight days on</button>
${ahead > 0 && html`<button name="turn" value="back">Back to real time</button>`}
</form></section>`;
}

function aheadText(ahead: number): string {
  const hours = Math.round(ahead / HOUR);
  if (hours === 0) return 'the same as on this machine';
  const part = (count: number, unit: string) =>
    count === 0 ? [] : [`${count} ${unit}${count === 1 ? '' : 's'}`];
  return `${[...part(Math.floor(hours / 24), 'day'), ...part(hours % 24, 'hour')].join(' and ')} ahead of this machine`;
}

const accessSection = ({ people }: ControlView): Html => html`<section class="card">
<h2>Access</h2>
<p>A user withdraws Kalends’ access in the settings of Google or Microsoft, or changes the password at Apple or CalDAV.</p>
<form class="row" method="post" action="/control/withdraw">
<label>Who <select name="who">${people.map(personOption)}</select></label>
<button>Withdraw access</button>
</form></section>`;

const administratorSection = (organisation: string): Html => html`<section class="card">
<h2>Microsoft’s administrators</h2>
<p>From now on, users of ${organisation} need their administrator’s consent. New sign-ins are refused at once. Connected accounts lose access at
the next refresh: move the clock forward by an hour.</p>
<form class="row" method="post" action="/control/demand-consent"><button>Require administrator’s consent</button></form></section>`;
