/** `npm run sandbox`: starts everything, says where to begin, and ends with Ctrl-C. */
import type { Sandbox } from './start-sandbox.ts';

// Only the version is looked at before anything else loads: what follows does not parse on an older Node.
if (Number(process.versions.node.split('.')[0]) < 26) {
  console.error('The sandbox needs Node.js 26, which `npm ci` installs: start it with `npm run sandbox`.');
  process.exit(1);
}
const { startSandbox } = await import('./start-sandbox.ts');

const signal = new Promise<string>((resolve) => {
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve(name));
});
console.log('Starting the sandbox …');
const sandbox = await startSandbox({ usualPorts: true });
console.log(welcome(sandbox));

const ended = await Promise.race([signal, sandbox.kalends.ended.then(() => 'kalends')]);
if (ended === 'kalends') {
  console.error(`Kalends has ended by itself. It said:\n${sandbox.kalends.log()}`);
  process.exitCode = 1;
}
await sandbox.close();

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
                   Press "Connect a calendar", then "Connect Google", pick Mara,
                   press Continue, and then Allow. There is nothing to type.
  Faults and time  ${controlUrl}

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
