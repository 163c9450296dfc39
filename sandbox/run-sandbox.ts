/** `kalends sandbox`: starts everything, prints where to begin, and ends with Ctrl-C. */
import type { SandboxRequest } from '../src/cli/command.ts';
import { noteSandbox } from '../src/cli/running-sandboxes.ts';
import type { SandboxApplication } from './applications.ts';
import { type Sandbox, startSandbox } from './start-sandbox.ts';

/** Resolves with the exit code once everything has ended. */
export async function runSandbox(request: SandboxRequest): Promise<number> {
  const signal = new Promise<string>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve(name));
  });
  if (!request.json) console.log('Starting the sandbox …');
  const sandbox = await startSandbox({ ...request, usualPorts: true });
  const removeNote = noteSandbox({ dataDir: sandbox.dataDir, url: sandbox.kalends.url });
  console.log(request.json ? JSON.stringify(startDocument(sandbox)) : welcome(sandbox, request));

  const ended = await Promise.race([signal, sandbox.kalends.ended.then(() => 'kalends')]);
  if (ended === 'kalends') console.error(`Kalends has ended by itself. It said:\n${sandbox.kalends.log()}`);
  removeNote();
  await sandbox.close();
  return ended === 'kalends' ? 1 : 0;
}

/** Returns the values of `welcome` for programs. The first application is also at the top level. */
function startDocument(sandbox: Sandbox) {
  const { application, ownApplications, strictApplication: strict, webhookSecret, kalends } = sandbox;
  const listed =
    ownApplications.length > 0
      ? ownApplications
      : [{ ...application, webhookUrl: undefined, isRotated: false }];
  const applications = listed.map(({ clientId, clientSecret, isRotated, redirectUri, webhookUrl }) => ({
    client_id: clientId,
    client_secret: isRotated ? null : clientSecret,
    redirect_uri: redirectUri,
    ...(webhookUrl && { webhook_url: webhookUrl, webhook_secret: webhookSecret }),
  }));
  return {
    url: kalends.url,
    ...applications[0],
    applications,
    fapi2: {
      issuer: `${kalends.url}/fapi2`,
      client_id: strict.clientId,
      redirect_uri: strict.redirectUri,
      jwks: strict.jwksPath,
    },
    demo_url: sandbox.demoUrl,
    control_url: sandbox.controlUrl,
    dashboard_url: `${kalends.url}/dashboard`,
    setup_url: kalends.setupUrl,
    data_dir: sandbox.dataDir,
    people: sandbox.people(),
  };
}

/**
 * Renders the first information for a newcomer on one screen of 80 by 24; the user's own applications take a few more
 * lines.
 */
function welcome(sandbox: Sandbox, { keep }: SandboxRequest): string {
  const { demoUrl, controlUrl, kalends, people, providers, dataDir } = sandbox;
  const providerRows = Map.groupBy(people(), ({ provider }) => provider)
    .entries()
    .map(([provider, accounts]) => {
      const names = accounts.map(({ username }) => username.padEnd(23)).join('');
      return `  ${provider.padEnd(11)}${names}${accounts[0]?.password ?? 'select from a list'}`;
    });
  const stops = keep === undefined ? 'Ctrl-C stops everything.' : 'Ctrl-C stops and keeps it.';
  return `The sandbox is running. Nothing leaves this machine. ${stops}
  Begin here       ${demoUrl}
                   Press "Connect a calendar", Google, Mara, Continue, Allow.
  Faults and time  ${controlUrl}
  Data folder      ${dataDir}
  Dashboard        ${setupText(kalends.setupUrl, kalends.url)}

Who can sign in:
${[...providerRows].join('\n')}
             at the server ${providers.caldav.origin}

${applicationsText(sandbox)}
`;
}

const setupText = (setupUrl: string | undefined, url: string): string =>
  setupUrl === undefined
    ? `${url}/dashboard`
    : `become its first owner, once, within 30 minutes:\n${setupUrl}`;

/** A rotated secret was shown once, to the person who rotated it. */
const secretText = ({ clientSecret, isRotated = false }: SecretOf): string =>
  isRotated ? '(rotated)' : clientSecret;
type SecretOf = Pick<SandboxApplication, 'clientSecret' | 'isRotated'>;

function applicationsText({ kalends, strictApplication, ...sandbox }: Sandbox): string {
  const { application, ownApplications, webhookSecret } = sandbox;
  const [first, ...others] = ownApplications;
  const firstApplication = first ?? application;
  const rows = [
    ['Kalends', kalends.url],
    ['client_id', firstApplication.clientId],
    ['client_secret', secretText(firstApplication)],
    ['redirect_uri', firstApplication.redirectUri],
    ...(first?.webhookUrl === undefined
      ? []
      : [
          ['webhook_url', first.webhookUrl],
          ['webhook secret', webhookSecret],
        ]),
    ...others.flatMap((other) => [
      [],
      ['client_id', other.clientId],
      ['client_secret', secretText(other)],
      ['redirect_uri', other.redirectUri],
    ]),
    ['FAPI 2.0', `${strictApplication.clientId}, with the private keys in`],
  ];
  const heading =
    first === undefined
      ? 'For your own code, the demo is this application at Kalends:'
      : 'Your own application at Kalends, the same at every start:';
  const lines = rows.map(([name = '', value = '']) => (name === '' ? '' : `  ${name.padEnd(17)}${value}`));
  return [heading, ...lines, `  ${strictApplication.jwksPath}`].join('\n');
}
