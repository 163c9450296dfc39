/** `npm run sandbox`: starts everything, says where to begin, and ends with Ctrl-C. */
import type { Sandbox } from './start-sandbox.ts';

// Only the version is looked at before anything else loads: what follows does not parse on an older Node.
if (Number(process.versions.node.split('.')[0]) < 26) {
  console.error('The sandbox needs Node.js 26, which `npm ci` installs: start it with `npm run sandbox`.');
  process.exit(1);
}
const { startSandbox } = await import('./start-sandbox.ts');

const told = new Promise<string>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
});
console.log('Starting the sandbox …');
const sandbox = await startSandbox({ usualPorts: true });
console.log(welcome(sandbox));

const ended = await Promise.race([told, sandbox.kalends.ended.then(() => 'kalends')]);
if (ended === 'kalends') {
  console.error(`Kalends has ended by itself. It said:\n${sandbox.kalends.log()}`);
  process.exitCode = 1;
}
await sandbox.close();

function welcome({ application, demoUrl, controlUrl, kalends, people, providers }: Sandbox): string {
  const rows = people().map(({ provider, name, username, password }) =>
    [
      `  ${provider.padEnd(10)}`,
      name.padEnd(15),
      username.padEnd(24),
      password ?? 'choose from the list',
    ].join(' '),
  );
  return `
The sandbox is running. Nothing leaves this machine, and all of it is gone when it stops.

  Begin here             ${demoUrl}
  Faults and time        ${controlUrl}
  Kalends                ${kalends.url}

The demo is this application at Kalends; use it from your own code as well:

  client_id              ${application.clientId}
  client_secret          ${application.clientSecret}
  redirect_uri           ${application.redirectUri}

Who can sign in:

${rows.join('\n')}

The server to type for CalDAV is ${providers.caldav.origin}

Ctrl-C stops everything.
`;
}
