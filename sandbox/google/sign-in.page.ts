/** Google's own pages in the flow: the choice of the account, and the consent. */
import { html } from '../../src/http/html.ts';
import { accountButtons, pageAnswer } from '../core/page-answer.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { SCOPES } from './google-scopes.ts';
import type { GooglePerson } from './google-store.ts';

export const ACCOUNT_PATH = '/signin/account';
export const CONSENT_PATH = '/signin/consent';

export type PageFrame = {
  /** The id of the sign-in in progress. */
  readonly transaction: string;
  /** The origin of the app's callback: the forms' last redirect leads there. */
  readonly callbackOrigin: string;
};

export function accountPage(people: readonly GooglePerson[], frame: PageFrame): SandboxAnswer {
  return pageAnswer(200, {
    provider: 'Google',
    title: 'Choose an account',
    formTargets: [frame.callbackOrigin],
    content: html`<form method="post" action="${ACCOUNT_PATH}">
<input type="hidden" name="transaction" value="${frame.transaction}">
${accountButtons(people)}
</form>`,
  });
}

export type ConsentInput = {
  readonly person: GooglePerson;
  readonly appName: string;
  /** The scopes that the app requests. */
  readonly scopes: readonly string[];
  /** The scopes that the app already has. */
  readonly granted: readonly string[];
};

/**
 * Renders the consent. Every permission can be unticked. No source confirms that they are ticked at first, and that a
 * single permission has no box.
 */
export function consentPage(
  { person, appName, scopes, granted }: ConsentInput,
  frame: PageFrame,
): SandboxAnswer {
  const requested = scopes.filter((scope) => SCOPES.get(scope) !== undefined);
  const boxes = requested
    .filter((scope) => !granted.includes(scope))
    .map(
      (scope) =>
        html`<label><input type="checkbox" name="scope" value="${scope}" checked> ${SCOPES.get(scope)}</label>`,
    );
  const alreadyGranted = requested
    .filter((scope) => granted.includes(scope))
    .map((scope) => html`<li>${SCOPES.get(scope)}</li>`);
  return pageAnswer(200, {
    provider: 'Google',
    title: `${appName} wants access to your Google Account`,
    formTargets: [frame.callbackOrigin],
    content: html`<p class="quiet">${person.email}</p>
<form method="post" action="${CONSENT_PATH}">
<input type="hidden" name="transaction" value="${frame.transaction}">
${boxes.length > 0 && html`<fieldset><legend>Select what the app can access</legend>${boxes}</fieldset>`}
${alreadyGranted.length > 0 && html`<p>It already has some access:</p><ul class="points">${alreadyGranted}</ul>`}
<div class="pair"><button name="decision" value="cancel">Cancel</button>
<button name="decision" value="continue">Continue</button></div>
</form>`,
  });
}
