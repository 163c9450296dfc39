/** `kalends sandbox`: starts everything, says where to begin, and ends with Ctrl-C. */
import { type Sandbox, startSandbox } from './start-sandbox.ts';

/** Resolves with the exit code once everything has ended. */
export async function runSandbox(): Promise<number> {
  const signal = new Promise<string>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve(name));
  });
  console.log('Starting the sandbox …');
  const sandbox = await startSandbox({ usualPorts: true });
  console.log(welcome(sandbox));

  const ended = await Promise.race([signal, sandbox.kalends.ended.then(() => 'kalends')]);
  if (ended === 'kalends') console.error(`Kalends has ended by itself. It said:\n${sandbox.kalends.log()}`);
  await sandbox.close();
  return ended === 'kalends' ? 1 : 0;
}

/** What a newcomer needs, on one screen of 80 by 24. */
function welcome({ application, demoUrl, controlUrl, kalends, people, providers }: Sandbox): string {
  const providerRows = Map.groupBy(people(), ({ provider }) => provider)
    .entries()
    .map(([provider, accounts]) => {
      const names = accounts.map(({ username }) => username.padEnd(23)).join('');
      return `  ${provider.padEnd(11)}${names}${accounts[0]?.password ?? 'pick from a list'}`;
    });
  return `
The sandbox is running. Nothing leaves this machine. Ctrl-C stops everything.

  Begin here       ${demoUrl}
                   Press "Connect a calendar", Google, Mara, Continue, Allow.
  Faults and time  ${controlUrl}

  Dashboard        its first owner, by this link, once and within 30 minutes:
${kalends.setupUrl}

Who can sign in:
${[...providerRows].join('\n')}
             at the server ${providers.caldav.origin}

For your own code, the demo is this application at Kalends:
  Kalends          ${kalends.url}
  client_id        ${application.clientId}
  client_secret    ${application.clientSecret}
  redirect_uri     ${application.redirectUri}
`;
}
