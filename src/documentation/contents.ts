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
  readonly name: 'Tutorials' | 'How-to guides' | 'Reference' | 'Explanation';
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
  page(`decisions/${name}`, title, 'A decision: why it is so, and what was given up for it.');

export const CONTENTS: readonly Section[] = [
  {
    name: 'Tutorials',
    purpose: 'Begin here: each leads from nothing to something that works.',
    guides: [
      {
        slug: 'first-steps',
        file: 'README.md',
        title: 'First steps',
        summary: 'What Kalends is, and the whole flow by hand with curl.',
      },
      page(
        'sandbox',
        'The sandbox',
        'Four providers with people in them on your machine, and an application.',
      ),
      {
        slug: 'client',
        file: 'packages/client/README.md',
        title: 'The TypeScript client',
        summary: 'Connect users, read and write events and hear of changes with @kalends/client.',
      },
      example('express', 'Calendars in Express', 'A whole application in Express, with the client.'),
      example('hono', 'Calendars in Hono', 'The same in Hono and TypeScript.'),
      example('next', 'Calendars in Next.js', 'The same in Next.js, with the App Router and TypeScript.'),
      example('fastapi', 'Calendars in FastAPI', 'The same in Python, over plain HTTP.'),
      example('php', 'Calendars in PHP', 'The same in PHP, without any library.'),
    ],
  },
  {
    name: 'How-to guides',
    purpose: 'You know what you want to do; these say how.',
    guides: [
      page('reading', 'Read calendars and events', 'List and search events, follow changes, find free time.'),
      page('writing', 'Write events and calendars', 'Create, change and delete, once and not twice.'),
      page('webhooks', 'Receive webhooks', 'Hear of changes: deliveries, signatures, repetitions.'),
      page('popup', 'Connect in a popup', 'The Connect pages in a window of their own.'),
      page(
        'account-health',
        'Show the health of accounts',
        'What is the matter with an account, and who acts.',
      ),
      page('branding', 'Brand the Connect pages', 'Logo, colour, theme and foot of an application.'),
      page('languages', 'Set and add languages', 'Which languages the pages speak, and how to add one.'),
      page('dashboard', 'Use the dashboard', 'Let people in; see and set things in a browser.'),
      page('operations', 'Run Kalends', 'Install it, put it behind a proxy, back it up, upgrade it.'),
      page('disaster-recovery', 'Recover from a disaster', 'Back up, restore, and practise both.'),
      page('providers', 'Set up providers', 'Register with Google and Microsoft; what each provider can do.'),
      page('audit', 'Read the audit log', 'Who changed what, and when.'),
      page('adding-a-provider', 'Add a provider', 'What an adapter has to do.'),
      {
        slug: 'contributing',
        file: 'CONTRIBUTING.md',
        title: 'Contribute',
        summary: 'How to make a first change.',
      },
    ],
  },
  {
    name: 'Reference',
    purpose: 'Look it up: everything, exactly.',
    guides: [
      page('errors', 'Errors', 'Every code: when it is answered, why, and what to do.'),
      page('wire', 'Wire interface', 'The contract, clause by clause.'),
      page('configuration', 'Configuration', 'Every setting.'),
      page('cli', 'Command line', 'Every command.'),
      page('metrics', 'Metrics', 'Every metric of GET /metrics.'),
      page('log-events', 'Log events', 'Every line of the log: when it is written, and what to do.'),
      page('departures', 'Departures from RFCs', 'Where the interface differs from a standard, and why.'),
      page('conformance', 'Conformance', 'Which test holds which clause.'),
      page('asvs', 'OWASP ASVS', 'The verification standard, item by item.'),
      page('dependencies', 'Dependencies', 'Every library and what it saves.'),
      { slug: 'changes', file: 'CHANGELOG.md', title: 'Changes', summary: 'What each version changed.' },
    ],
  },
  {
    name: 'Explanation',
    purpose: 'Why it is as it is.',
    guides: [
      page('architecture', 'Architecture', 'How data flows, and where things are.'),
      page('calendars', 'How calendars are read', 'Why an event is shown as it is.'),
      page('security', 'Security', 'What Kalends protects against, and what is left to you.'),
      page('privacy', 'Privacy', 'What is kept about users, and for how long.'),
      page('performance', 'Performance', 'What it takes and gives on a machine.'),
      page('sizing', 'Sizing', 'How large a machine has to be.'),
      page('scaling', 'Scaling', 'From one machine to many: what breaks first, and what shows it.'),
      page('design', 'Design of the Connect pages', 'What the pages are made of, and their rules.'),
      {
        slug: 'reporting',
        file: 'SECURITY.md',
        title: 'Reporting a vulnerability',
        summary: 'Where to write, and what happens then.',
      },
      decision('0001-group-commit', 'Writes share a commit'),
      decision('0002-one-row-per-token-family', 'One row per token family'),
      decision('0003-hs256-by-default', 'HS256 by default'),
      decision('0004-recurrences-on-the-wall-clock', 'Recurrences on the wall clock'),
      decision('0005-form-action-follows-the-callback', 'Forms may lead to the application'),
      decision('0006-a-reference-page-of-our-own', 'A reference of our own'),
    ],
  },
];
