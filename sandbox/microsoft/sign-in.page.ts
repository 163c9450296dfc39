/** The identity platform's pages: who are you, may the app, ask your administrator. Plain forms, no script. */
import { type Html, html, trusted } from '../../src/http/html.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import type { AuthorizeRequest } from './authorize.ts';
import { type Account, tenantNameOf } from './directory.ts';
import { describePermission } from './permission.ts';
import type { TenantPath } from './tenant.ts';

type PageContext = { readonly tenant: TenantPath; readonly asked: AuthorizeRequest };

/** A button for each account, named by its address; the one hinted at comes first. */
export function chooserPage(
  accounts: readonly Account[],
  hinted: Account | undefined,
  { tenant, asked }: PageContext,
): Html {
  const ordered = [...accounts].sort((a, b) => Number(b === hinted) - Number(a === hinted));
  const buttons = ordered.map(
    ({ email, name }) => html`<p>${name}<br>
<button name="account" value="${email}">${email}</button></p>`,
  );
  return page(
    'Pick an account',
    html`<p>to continue to ${nameOf(asked)}</p>
<form method="post" action="/${tenant}/oauth2/v2.0/authorize/account">
<input type="hidden" name="request" value="${asked.query}">
${buttons}
</form>`,
  );
}

export function consentPage(account: Account, context: PageContext): Html {
  const permissions = context.asked.permissions.map((one) => html`<li>${describePermission(one)}</li>`);
  return page(
    'Permissions requested',
    html`<p>${account.email}</p>
<p><strong>${nameOf(context.asked)}</strong> would like to:</p>
<ul>${permissions}</ul>
${consentForm(
  account,
  context,
  html`<button name="decision" value="cancel">Cancel</button>
<button name="decision" value="accept">Accept</button>`,
)}`,
  );
}

export function needsAdminPage(account: Account, context: PageContext): Html {
  return page(
    'Need admin approval',
    html`<p>${account.email}</p>
<p><strong>${nameOf(context.asked)}</strong> needs permission to access resources in ${tenantNameOf(account)}
that only an admin can grant. Please ask an admin to grant permission to this app before you can use it.</p>
<p>AADSTS90094</p>
${consentForm(
  account,
  context,
  html`<button name="decision" value="cancel">Return to the application without granting consent</button>`,
)}`,
  );
}

/** For the administrator of a tenant. */
export function adminConsentPage(appName: string, tenantName: string, query: string): Html {
  return page(
    'Permissions requested',
    html`<p>Review for ${tenantName}: <strong>${appName}</strong> would like access for everyone in the organization.</p>
<form method="post">
<input type="hidden" name="request" value="${query}">
<button name="decision" value="cancel">Cancel</button>
<button name="decision" value="accept">Accept</button>
</form>`,
  );
}

/** What cannot be told to an app. */
export const errorPage = (description: string): Html =>
  page("Sorry, but we're having trouble signing you in.", html`<p>${description}</p>`);

function consentForm(account: Account, { tenant, asked }: PageContext, buttons: Html): Html {
  return html`<form method="post" action="/${tenant}/oauth2/v2.0/authorize/consent">
<input type="hidden" name="request" value="${asked.query}">
<input type="hidden" name="account" value="${account.email}">
${buttons}
</form>`;
}

const nameOf = ({ app }: AuthorizeRequest): string => app.name ?? app.clientId;

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;background:#f2f2f2;margin:0;padding:8vh 1rem;color:#1b1b1b}
main{background:#fff;max-width:26rem;margin:auto;padding:2.5rem;box-shadow:0 2px 6px #0003}
h1{font-size:1.5rem;margin:0 0 1rem}button{font:inherit;padding:.4rem 1rem;margin:0 .5rem .5rem 0}
.sandbox{color:#595959;font-size:.8rem}`;

function page(title: string, content: Html): Html {
  return html`<html lang="en">
<head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${trusted(STYLE)}</style></head>
<body><main>
<p class="sandbox">Sandbox: a stand-in for Microsoft's sign-in</p>
<h1>${title}</h1>
${content}
</main></body></html>`;
}

export function pageAnswer(content: Html, status = 200): SandboxAnswer {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
  return { status, headers, body: `<!doctype html>\n${content.markup}` };
}
