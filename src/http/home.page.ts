/** GET /: shows that the server runs and links to the documentation and the dashboard. */
import type { FastifyPluginAsync } from 'fastify';
import { type Html, html } from './html.ts';
import { inlineStyle, sendPage } from './page.ts';

const STYLE = inlineStyle(`
:root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif; }
body { max-inline-size: 36rem; margin: 12vh auto; padding-inline: 1.5rem; }
h1 { font-size: 1.6rem; line-height: 1.2; }
code { font-size: .9em; overflow-wrap: anywhere; }`);

const renderPage = (dashboard: Html | false): Html => html`<html lang="en">
<head>
<meta charset="utf-8">
<title>Kalends</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${STYLE.element}
</head>
<body>
<main>
<h1>Kalends is running</h1>
<p>It connects applications to their users’ calendars. There is nothing to do on this page: people come
here from an application that they want to connect.</p>
<p>To integrate one, make it known with <code>kalends client create</code>, then send its users to
<code>/authorize</code>. The <a href="/docs">documentation</a> has <a href="/docs/first-steps">first
steps</a>, guides and the <a href="/docs/api">API reference</a>; <a href="/health">/health</a> says whether requests are served.</p>
${dashboard}</main>
</body>
</html>
`;

const DASHBOARD = html`<p>Members manage it in the <a href="/dashboard">dashboard</a>.</p>
`;

export type HomePageDeps = {
  /** Undefined if the dashboard is off. */
  readonly dashboardUrl: string | undefined;
  readonly hasOwnOrigin: boolean;
  isDashboardNetwork(address: string): boolean;
};

/** Links to the dashboard where it responds at this origin. */
export function homePage(deps: HomePageDeps): FastifyPluginAsync {
  const { dashboardUrl, hasOwnOrigin, isDashboardNetwork } = deps;
  const isHere = dashboardUrl !== undefined && !hasOwnOrigin;
  return async (app) => {
    app.get('/', async ({ ip }, reply) => {
      const document = renderPage(isHere && isDashboardNetwork(ip) && DASHBOARD);
      return sendPage(reply, { document, policy: { styleSource: STYLE.source } });
    });
  };
}
