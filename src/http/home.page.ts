/** GET /: shows that the server runs and links to the documentation. */
import type { FastifyPluginAsync } from 'fastify';
import { html } from './html.ts';
import { inlineStyle, sendPage } from './page.ts';

const STYLE = inlineStyle(`
:root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif; }
body { max-inline-size: 36rem; margin: 12vh auto; padding-inline: 1.5rem; }
h1 { font-size: 1.6rem; line-height: 1.2; }
code { font-size: .9em; overflow-wrap: anywhere; }`);

const DOCUMENT = html`<html lang="en">
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
</main>
</body>
</html>
`;

const PAGE = { document: DOCUMENT, policy: { styleSource: STYLE.source } };

export const homePage: FastifyPluginAsync = async (app) => {
  app.get('/', async (_request, reply) => sendPage(reply, PAGE));
};
