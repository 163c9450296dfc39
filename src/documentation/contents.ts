/** The pages of the served documentation in menu order. Sections follow the reader's purpose, as in Diátaxis. */

/** A page that is a file of this repository. */
export type Guide = {
  /** Its address is `/docs/SLUG`. */
  readonly slug: string;
  /** From the root of the repository, or of the installed package. */
  readonly file: string;
  readonly title: string;
  /** One sentence for the start page and for `/llms.txt`. */
  readonly summary: string;
};

export type Section = {
  readonly name: 'Tutorials' | 'How-to guides' | 'Reference' | 'Explanation' | 'Project';
  readonly purpose: string;
  readonly guides: readonly Guide[];
};

/** Returns a page of `docs/`, whose slug is the name of its file. */
const page = (name: string, title: string, summary: string): Guide => ({
  slug: name,
  file: `docs/${name}.md`,
  title,
  summary,
});

const example = (name: string, title: string, summary: string): Guide => ({
  slug: `examples/${name}`,
  file: `examples/${name}/README.md`,
  title,
  summary,
});

const decision = (name: string, title: string): Guide =>
  page(`decisions/${name}`, title, 'A decision: its reasons and its cost.');

export const CONTENTS: readonly Section[] = [
  {
    name: 'Tutorials',
    purpose: 'Start here. Each page leads to a working result.',
    guides: [
      {
        slug: 'first-steps',
        file: 'README.md',
        title: 'First steps',
        summary: 'Learn about Kalends, and run the whole flow with curl.',
      },
      page('sandbox', 'The sandbox', 'Run four simulated providers and an application on your machine.'),
      {
        slug: 'client',
        file: 'packages/client/README.md',
        title: 'The TypeScript client',
        summary: 'Connect users, read and write events and receive changes with @kalends/client.',
      },
      example('express', 'Calendars in Express', 'A complete application in Express, with the client.'),
      example('hono', 'Calendars in Hono', 'The same in Hono and TypeScript.'),
      example('next', 'Calendars in Next.js', 'The same in Next.js, with the App Router and TypeScript.'),
      example('fastapi', 'Calendars in FastAPI', 'The same in Python, over plain HTTP.'),
      example('php', 'Calendars in PHP', 'The same in PHP, without libraries.'),
    ],
  },
  {
    name: 'How-to guides',
    purpose: 'Guides for specific tasks.',
    guides: [
      page('reading', 'Read calendars and events', 'List and search events, read changes, find free time.'),
      page('writing', 'Write events and calendars', 'Create, change and delete events without duplicates.'),
      page('webhooks', 'Receive webhooks', 'Receive changes: deliveries, signatures, retries.'),
      page('popup', 'Connect in a popup', 'Open the Connect pages in a separate window.'),
      page(
        'account-health',
        'Show the health of accounts',
        'Show what is wrong with an account, and who can fix it.',
      ),
      page(
        'broken-connections',
        'When a connection breaks',
        'Notice that an account stopped, and have the user reconnect it.',
      ),
      page('hardening', 'Harden an application', 'From the default to FAPI 2.0, switch by switch.'),
      page('branding', 'Brand the Connect pages', 'Set the logo, color, theme and footer of an application.'),
      page('languages', 'Set and add languages', 'Choose the language of the pages, or add one.'),
      page('dashboard', 'Use the dashboard', 'Manage members, applications and users in a browser.'),
      page('apply', 'Apply a manifest', 'Keep applications and members in a file.'),
      page('operations', 'Run Kalends', 'Install, configure, back up and upgrade Kalends.'),
      page('disaster-recovery', 'Recover from a disaster', 'Back up, restore, and practice both.'),
      page('providers', 'Set up providers', 'Register provider apps, and compare the providers.'),
      page('audit', 'Read the audit log', 'See who changed what, and when.'),
      page('adding-a-provider', 'Add a provider', 'Write an adapter for a provider.'),
    ],
  },
  {
    name: 'Reference',
    purpose: 'Complete and exact descriptions.',
    guides: [
      page('errors', 'Errors', 'Every code: when it is sent, and how to fix it.'),
      page('wire', 'Wire interface', 'The contract, clause by clause.'),
      page('configuration', 'Configuration', 'Every setting.'),
      page('cli', 'Command line', 'Every command.'),
      page('administration', 'Administration API', 'Manage applications and users from a program.'),
      page('metrics', 'Metrics', 'Every metric of GET /metrics.'),
      page('log-events', 'Log events', 'Every log event: when it is written, and what to do.'),
      page('departures', 'Departures from RFCs', 'Where the interface differs from a standard, and why.'),
      { slug: 'changes', file: 'CHANGELOG.md', title: 'Changes', summary: 'What each version changed.' },
    ],
  },
  {
    name: 'Explanation',
    purpose: 'Background and reasons.',
    guides: [
      page('proof', 'Proof of failover', 'Faults that a deployment went through, and what was lost.'),
      page('architecture', 'Architecture', 'How data flows, and where the code is.'),
      page('calendars', 'How calendars are read', 'How events of all providers become one format.'),
      page('security', 'Security', 'The threats that Kalends protects against, and your tasks.'),
      page('privacy', 'Privacy', 'The data about users, and how long it is stored.'),
      page('performance', 'Performance', 'Measured throughput, latency and memory.'),
      page('sizing', 'Sizing', 'Choose the size of a machine.'),
      page('scaling', 'Scaling', 'From one machine to many: bottlenecks and their metrics.'),
      page('design', 'Design of the Connect pages', 'The parts of the pages, and their rules.'),
      {
        slug: 'reporting',
        file: 'SECURITY.md',
        title: 'Reporting a vulnerability',
        summary: 'How to report a vulnerability, and what happens next.',
      },
    ],
  },
  {
    name: 'Project',
    purpose: 'How Kalends is built and checked.',
    guides: [
      {
        slug: 'contributing',
        file: 'CONTRIBUTING.md',
        title: 'Contribute',
        summary: 'Make your first change.',
      },
      page('conformance', 'Conformance', 'The test of each clause.'),
      page('conformance-fapi2', 'FAPI 2.0 conformance', 'The test of each module of the plan.'),
      page('asvs', 'OWASP ASVS', 'The verification standard, item by item.'),
      page('dependencies', 'Dependencies', 'Every library, and the reason for it.'),
      decision('0001-group-commit', 'Writes share a commit'),
      decision('0002-one-row-per-token-family', 'One row per token family'),
      decision('0003-hs256-by-default', 'HS256 by default'),
      decision('0004-recurrences-on-the-wall-clock', 'Recurrences on the wall clock'),
      decision('0005-form-action-follows-the-callback', 'Forms may lead to the application'),
      decision('0006-a-reference-page-of-our-own', 'A reference of our own'),
    ],
  },
];
