/** The identity platform's pages: who are you, may the app, ask your administrator. Plain forms, no script. */
import { type Html, html } from '../../src/http/html.ts';
import { accountButtons, DEAD_END, pageAnswer } from '../core/page-answer.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import type { AuthorizeRequest } from './authorize-request.ts';
import { type Account, tenantNameOf } from './directory.ts';
import { describePermission } from './permission.ts';

/** A button for each account, named by its address; the one hinted at comes first. */
export function chooserPage(
  accounts: readonly Account[],
  hinted: Account | undefined,
  request: AuthorizeRequest,
): SandboxAnswer {
  const ordered = [...accounts].sort((a, b) => Number(b === hinted) - Number(a === hinted));
  return page(
    'Pick an account',
    html`<p class="quiet">to continue to ${appDisplayName(request)}</p>
<form method="post" action="/${request.tenant}/oauth2/v2.0/authorize/account">
<input type="hidden" name="request" value="${request.query}">
${accountButtons(ordered)}
</form>`,
    request.redirectUri,
  );
}

export function consentPage(account: Account, request: AuthorizeRequest): SandboxAnswer {
  const permissions = request.permissions.map((one) => html`<li>${describePermission(one)}</li>`);
  return page(
    'Permissions requested',
    html`<p class="quiet">${account.email}</p>
<p><strong>${appDisplayName(request)}</strong> would like to:</p>
<ul class="points">${permissions}</ul>
${consentForm(account, request, ACCEPT_OR_CANCEL)}`,
    request.redirectUri,
  );
}

export function needsAdminPage(account: Account, request: AuthorizeRequest): SandboxAnswer {
  return page(
    'Need admin approval',
    html`<p class="quiet">${account.email}</p>
<p><strong>${appDisplayName(request)}</strong> needs permission to access resources in ${tenantNameOf(account)}
that only an admin can grant. Please ask an admin to grant permission to this app before you can use it.</p>
<p class="quiet">AADSTS90094</p>
${consentForm(
  account,
  request,
  html`<button name="decision" value="cancel">Return to the application without granting consent</button>`,
)}`,
    request.redirectUri,
  );
}

/** For the administrator of a tenant. */
export function adminConsentPage(appName: string, query: string, redirectUri: string): SandboxAnswer {
  return page(
    'Permissions requested',
    html`<p>Review for your organization: <strong>${appName}</strong> would like access for everyone in it.</p>
<form method="post">
<input type="hidden" name="request" value="${query}">
${ACCEPT_OR_CANCEL}
</form>`,
    redirectUri,
  );
}

/** For errors that no app can be sent. */
export const errorPage = (description: string, status: number): SandboxAnswer =>
  pageAnswer(status, {
    provider: 'Microsoft',
    title: 'Sorry, but we’re having trouble signing you in.',
    content: html`<p>${description}</p>${DEAD_END}`,
  });

function consentForm(account: Account, { tenant, query }: AuthorizeRequest, buttons: Html): Html {
  return html`<form method="post" action="/${tenant}/oauth2/v2.0/authorize/consent">
<input type="hidden" name="request" value="${query}">
<input type="hidden" name="account" value="${account.email}">
${buttons}
</form>`;
}

const appDisplayName = ({ app }: AuthorizeRequest): string => app.name ?? app.clientId;

const ACCEPT_OR_CANCEL = html`<div class="pair"><button name="decision" value="cancel">Cancel</button>
<button name="decision" value="accept">Accept</button></div>`;

/** The forms' last redirect leads to the app's callback. */
const page = (title: string, content: Html, redirectUri: string): SandboxAnswer =>
  pageAnswer(200, {
    provider: 'Microsoft',
    title,
    content,
    formTargets: [new URL(redirectUri).origin],
  });
