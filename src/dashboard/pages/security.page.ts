/** The page *Security* of an application: its profile, what the profile requires, and its switches. */
import { MOST_COUNTED } from '../../administration/applications.ts';
import type { Requirement, SecurityCheck } from '../../administration/security-check.ts';
import { PROVIDER_KINDS } from '../../calendars/provider-facts.ts';
import { ICONS, notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Client } from '../../oauth/client.ts';
import type { StoredClientKeys } from '../../oauth/client-key-store.ts';
import { describeKeys } from '../../oauth/client-keys.ts';
import { MOST_URI_CHARACTERS } from '../../oauth/redirect-uri.ts';
import {
  SWITCH_KEYS,
  SWITCHES,
  type Switch,
  type SwitchKey,
  switchField,
  switchRange,
  switchText,
  switchTitle,
  withLabels,
} from '../../oauth/switches.ts';
import { may } from '../../people/permission.ts';
import { type DashboardMessageKey, dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath, secretsPanel } from './applications.page.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { choice, factList, field, withCode } from './parts.page.ts';

export type TypedSecurity = {
  readonly switches: Readonly<Record<SwitchKey, string>>;
  readonly returningUsers: string;
  /** Undefined for all providers of the deployment. */
  readonly providers: readonly string[] | undefined;
  readonly keys: TypedKeys;
};

/** New public keys, a set or its address, or the removal of all. */
type TypedKeys = { readonly jwks: string; readonly jwksUri: string; readonly removes: boolean };

/** Returns what the form shows of a stored application. */
export const storedSecurity = (client: Client): TypedSecurity => ({
  // Without the unit: the label of a field in seconds has it.
  switches: Object.fromEntries(
    SWITCH_KEYS.map((key) => [key, switchText(key, client[key]).replace(/ s$/, '')]),
  ) as TypedSecurity['switches'], // a value for each key
  returningUsers: client.returningUsers,
  providers: client.providers,
  keys: { jwks: '', jwksUri: '', removes: false },
});

export type SecurityParts = {
  readonly client: Client;
  readonly typed: TypedSecurity;
  readonly check: SecurityCheck;
  /** The registered keys. Their address is as the member may read it. */
  readonly keys: StoredClientKeys | undefined;
  /** Why the typed keys cannot be used. */
  readonly wrongKeys?: string | undefined;
  /** The switches whose typed values are invalid. */
  readonly wrong?: readonly SwitchKey[];
  /** Why nothing was saved. */
  readonly problem?: string | undefined;
  /** The changed switches that affect living grants, before they are saved. */
  readonly unconfirmed?: readonly SwitchKey[] | undefined;
};

const LISTED = SWITCH_KEYS.filter((key) => key !== 'profile');

export function securityContent(parts: SecurityParts, viewer: Viewer): Html {
  const { client, typed, check, wrong = [], problem, unconfirmed } = parts;
  const radio = (name: string, value: string, picked: string) =>
    choice(
      { type: 'radio', name, value, isPicked: value === picked },
      messages.text(`security.${name}.${value}` as DashboardMessageKey), // each value has a message
      messages.text(`security.${name}.${value}.about` as DashboardMessageKey),
    );
  const group = (title: DashboardMessageKey, content: Html) =>
    html`<section class="panel"><fieldset><legend><h2>${messages.text(title)}</h2></legend>${content}</fieldset></section>`;
  const { profile } = typed.switches;
  const content = html`${problem !== undefined && notice('trouble', html`${messages.text('security.refused', { problem: sentence(problem) })}`, true)}
${unconfirmed && confirmation(unconfirmed, check)}
${group('security.profile', html`${radio('profile', 'default', profile)}${radio('profile', 'fapi2', profile)}${requirements(check)}${switchFields(parts, wrong)}`)}
${group('security.keys', keyFields(parts))}
${group('security.returning_users', html`${radio('returning_users', 'prove', typed.returningUsers)}${radio('returning_users', 'continue', typed.returningUsers)}`)}
${group('security.providers', providerFields(typed, radio))}`;
  if (!may(viewer.person, 'application.change', client.clientId))
    return html`<fieldset class="read-only" disabled>${content}</fieldset>`;
  const label = messages.text(unconfirmed ? 'security.confirm.do' : 'save');
  const save = html`<p class="hint">${messages.text('security.next')}</p><div class="panel-end"><button class="primary">${label}</button></div>`;
  return postForm(viewer, `${applicationPath(client.clientId)}/security`, html`${content}${save}`);
}

type Radio = (name: string, value: string, picked: string) => Html;

function providerFields({ providers }: TypedSecurity, radio: Radio): Html {
  const only = providers === undefined ? 'all' : 'only';
  const kinds = PROVIDER_KINDS.map((kind) =>
    choice(
      { type: 'checkbox', name: 'provider', value: kind, isPicked: providers?.includes(kind) ?? false },
      messages.text(`provider.${kind}`),
    ),
  );
  return html`${radio('providers', 'all', only)}${radio('providers', 'only', only)}
<div class="picks">${kinds}</div>${providers?.length === 0 && html`<p class="wrong" role="alert">${messages.text('security.providers.none')}</p>`}`;
}

function keyFields({ keys, typed, wrongKeys }: SecurityParts): Html {
  const wrong = wrongKeys && messages.text('security.keys.wrong', { problem: sentence(wrongKeys) });
  const problem = typed.keys.jwks === '' ? undefined : wrong;
  // A refused set is not repeated: it may have a private key.
  const uri = {
    ...{ name: 'jwks_uri', label: messages.text('security.keys.jwks_uri'), isOptional: true },
    ...{ hint: messages.text('security.keys.jwks_uri.hint'), value: typed.keys.jwksUri },
    ...{ problem: problem === undefined ? wrong : undefined, maxLength: MOST_URI_CHARACTERS },
  };
  return html`<p class="hint">${messages.text('security.keys.about')}</p>${keys === undefined ? html`<p>${messages.text('security.keys.none')}</p>` : storedKeys(keys, typed.keys.removes)}
<div class="fields"><div><label for="jwks">${messages.text('security.keys.jwks')}</label>
<textarea id="jwks" name="jwks" rows="4" class="code" spellcheck="false" autocapitalize="none" aria-describedby="jwks-hint${problem && ' jwks-wrong'}"${problem && html` aria-invalid="true" autofocus`}>${problem === undefined && typed.keys.jwks}</textarea>
<p class="hint" id="jwks-hint">${withCode(messages.text('security.keys.jwks.hint'))}</p>${problem && html`<p class="wrong" id="jwks-wrong">${problem}</p>`}</div>
${field(uri)}</div>`;
}

function storedKeys(keys: StoredClientKeys, removes: boolean): Html {
  const jwks = keys.jwksUri === undefined ? keys.jwks : keys.cached?.jwks;
  const rows = jwks === undefined ? [] : describeKeys(jwks);
  const list = rows.map(
    ({ kid, algorithm }) =>
      html`<div><span class="code">${kid ?? messages.text('security.keys.no_kid')}</span> (${algorithm})</div>`,
  );
  const remove = { type: 'checkbox', name: 'remove_keys', value: 'yes', isPicked: removes } as const;
  return html`${factList([
    [
      messages.text('security.keys.registered'),
      rows.length > 0 ? html`${list}` : html`${messages.text('security.keys.unread')}`,
    ],
    [
      messages.text('security.keys.jwks_uri'),
      keys.jwksUri !== undefined && html`<span class="code">${keys.jwksUri}</span>`,
    ],
  ])}${choice(remove, messages.text('security.keys.remove'), messages.text('security.keys.remove.about'))}`;
}

const sentence = (text: string): string => withLabels(text).replace(/^./, (letter) => letter.toUpperCase());

/** Renders the effects of a change on living grants, and what the next request confirms. */
function confirmation(keys: readonly SwitchKey[], { livingGrants: count }: SecurityCheck): Html {
  const grants = { count: Math.min(count, MOST_COUNTED), isMore: count > MOST_COUNTED ? 'yes' : 'no' };
  const effects = keys.map(
    (key) => html`<li><strong>${switchTitle(key)}</strong>: ${withCode(SWITCHES[key].consequence)}</li>`,
  );
  const text = html`<p>${messages.text('security.confirm', grants)}</p><ul>${effects}</ul>`;
  return html`${notice('note', text, true)}<input type="hidden" name="confirmed" value="${keys.join(' ')}">`;
}

/** Renders the requirements of `fapi2`. */
function requirements({ requirements: all }: SecurityCheck): Html {
  const missing = all.filter((one) => one.missing !== undefined);
  const rows = all.map(({ text, missing }: Requirement) => {
    const isMet = missing === undefined;
    const state = messages.text(isMet ? 'verification.met' : 'verification.unmet');
    return html`<li class="${isMet ? 'met' : 'unmet'}">${isMet ? ICONS.tick : ICONS.cross}<div>${sentence(text)}<span class="unseen">: ${state}</span>${!isMet && html`<small>${sentence(missing)}</small>`}</div></li>
`;
  });
  const title = messages.text('security.requirements', { missing: missing.length });
  return html`<details class="code-of"><summary>${title}</summary><ul class="requirements">${rows}</ul></details>`;
}

function switchFields({ typed, client, problem }: SecurityParts, wrong: readonly SwitchKey[]): Html {
  const stored = storedSecurity(client);
  const isChanged = LISTED.some((key) => typed.switches[key] !== stored.switches[key]);
  const isOpen = wrong.length > 0 || isChanged || problem !== undefined;
  const count = LISTED.filter((key) => client[key] !== SWITCHES[key].initial).length;
  const fields = LISTED.map((key) => switchInput(key, typed.switches[key], wrong.includes(key)));
  return html`<details class="code-of" id="switches"${isOpen && html` open`}><summary>${messages.text('security.switches', { count })}</summary><div class="fields">${fields}</div></details>`;
}

/** Renders the field of a switch, with what it does and what a change means. */
function switchInput(key: SwitchKey, value: string, isWrong: boolean): Html {
  const row: Switch = SWITCHES[key];
  const name = switchField(key);
  const hint = html`${withCode(row.doc)}<br>${withCode(row.consequence)}`;
  if ('values' in row) {
    const options = row.values.map(
      (word) => html`<option${word === value && html` selected`}>${word}</option>`,
    );
    return html`<div><label for="${name}">${switchTitle(key)}</label>
<select id="${name}" name="${name}" aria-describedby="${name}-hint">${options}</select>
<p class="hint" id="${name}-hint">${hint}</p></div>`;
  }
  const label = row.none ? switchTitle(key) : messages.text('security.seconds', { label: switchTitle(key) });
  const range = switchRange(key);
  const problem = isWrong ? messages.text('security.wrong', { range }) : undefined;
  return field({ name, label, hint, value, problem, maxLength: 10 });
}

/** Renders the new secret, which is shown only once. */
export const newSecretContent = (clientSecret: string, clientId: string): Html =>
  html`${secretsPanel({ clientSecret }, html`<strong>${messages.text('created.once')}</strong> ${messages.text('security.secret')}`)}
<div class="buttons"><a class="button fitting" href="${applicationPath(clientId)}/security">${messages.text('link.done')}</a></div>`;
