/**
 * Writes the documents that are made from the program itself, such as docs/configuration.md from the table of options, and
 * the types of the client. `--check` writes nothing and fails when one is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { adminDocument } from '../src/api-reference/admin-document.ts';
import { currentDocument } from '../src/api-reference/current-document.ts';
import { COMMANDS } from '../src/cli/cli.ts';
import { helpAsMarkdown } from '../src/cli/help.ts';
import { OPTIONS } from '../src/config/config.ts';
import { errorsDocument } from '../src/documentation/error-index.ts';
import { administrationDocument } from './administration-document.ts';
import { ADMIN_CLIENT, adminClient, CLIENT_TYPES, clientTypes } from './client-types.ts';
import { accountHealthDocument } from './health-reasons-document.ts';
import { logEventsDocument } from './log-events-document.ts';
import { metricsDocument } from './metrics-document.ts';
import { scalingDocument } from './scaling-document.ts';
import { hardeningDocument } from './switches-document.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const openapi = currentDocument('http://127.0.0.1:8080');
const admin = adminDocument('http://127.0.0.1:8080');

const documents: Readonly<Record<string, string>> = {
  'docs/account-health.md': accountHealthDocument(
    readFileSync(path.join(ROOT, 'docs/account-health.md'), 'utf8'),
  ),
  'docs/administration.md': administrationDocument(),
  'docs/admin-openapi.json': `${JSON.stringify(admin, undefined, 2)}\n`,
  'docs/configuration.md': configurationDocument(),
  'docs/cli.md': commandLineDocument(),
  'docs/errors.md': errorsDocument(),
  'docs/hardening.md': hardeningDocument(readFileSync(path.join(ROOT, 'docs/hardening.md'), 'utf8')),
  'docs/log-events.md': logEventsDocument(),
  'docs/metrics.md': metricsDocument(),
  'docs/scaling.md': scalingDocument(readFileSync(path.join(ROOT, 'docs/scaling.md'), 'utf8')),
  'docs/openapi.json': `${JSON.stringify(openapi, undefined, 2)}\n`,
  [CLIENT_TYPES]: clientTypes(openapi),
  [ADMIN_CLIENT]: adminClient(admin),
};

function configurationDocument(): string {
  const rows = OPTIONS.map((option) => {
    const value = option.default === undefined ? '–' : `\`${option.default}\``;
    return `| \`${option.name}\` | ${value} | ${option.doc.replaceAll('|', '\\|')} |`;
  });
  const secrets = OPTIONS.filter((option) => option.secret).map(({ name }) => `\`${name}_FILE\``);
  return `# Configuration

Kalends reads its settings from environment variables. To read one from a file, append \`_FILE\` to its name and set it to the path. The
file must not be empty. Use files for secrets: ${secrets.join(', ')}.

The start reports all problems of the settings together. \`kalends doctor\` also checks the rest of the setup.

| Variable | Default | Meaning |
| --- | --- | --- |
${rows.join('\n')}

[\`kalends listen\`](webhooks.md#on-a-laptop) runs on any machine and reads \`KALENDS_CLIENT_ID\`, \`KALENDS_CLIENT_SECRET\` or \`KALENDS_CLIENT_PRIVATE_KEY\`, and
\`KALENDS_WEBHOOK_SECRET\` beside \`KALENDS_URL\`.

This page is generated from the tables in \`src/config/\` by \`npm run docs\`.
`;
}

function commandLineDocument(): string {
  return `# Command line
<!-- every sh snippet: not run, because each is made of the table that the command is parsed by -->

In the repository: \`npm run kalends -- COMMAND\`. Installed: \`kalends COMMAND\`. It works on the data folder or the
database of a running server, and reads the same [settings](configuration.md). Addresses in the output are those of
\`KALENDS_URL\` and \`KALENDS_DASHBOARD_URL\`, otherwise those of the server that started last, otherwise the default with a
warning on standard error.

- \`--json\` prints one JSON document on standard output and nothing else. An error is a document too,
  \`{"error": "not_found", "message": "…"}\`. npm prints a banner of its own on standard output: use
  \`npm run --silent kalends -- client list --json\`.
- Without \`--json\`, an error is one sentence on standard error.
- Exit codes: 0 success, 1 error, 2 wrong usage, 3 pending changes (\`apply --dry-run\`).
- \`kalends help\`, \`kalends COMMAND --help\`, \`kalends --version\`.

## At a server

A command that names this section also runs without access to the database, through the [administration API](administration.md) of a server.
Output and exit codes are the same.

\`\`\`sh
export KALENDS_SERVER=https://kalends.example KALENDS_ADMIN_KEY=kal_adm_…
kalends client list
\`\`\`

- \`--server URL\` overrides \`KALENDS_SERVER\`. With either, other commands refuse to run, with exit code 2.
- The key decides what the command may do. Plain http to another machine needs \`--allow-http\`, because it sends the key unencrypted.
- A creation or rotation whose response is lost is sent a second time with the same \`Idempotency-Key\`.
- Client and server must have the same version: the server writes the output.

${helpAsMarkdown(COMMANDS)}

This page is generated from \`src/cli/\` by \`npm run docs\`.
`;
}

function isCurrent(file: string, text: string): boolean {
  try {
    return readFileSync(file, 'utf8') === text;
  } catch {
    return false; // Not there: as good as stale.
  }
}

const checking = process.argv.includes('--check');
for (const [name, text] of Object.entries(documents)) {
  const file = path.join(ROOT, name);
  if (isCurrent(file, text)) continue;
  if (checking) {
    console.error(`${name} is stale: run "npm run docs".`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    console.log(`Wrote ${name}.`);
  }
}
