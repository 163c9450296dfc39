/** The secrets of the sandbox's applications in a folder that is kept. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';

import { demoApplication, ownApplications, registerApplications } from '../../sandbox/applications.ts';
import { runHere } from '../harness/command-here.ts';
import { removeFolder, temporaryFolder } from '../servers/process.ts';

describe('the applications of a kept sandbox', () => {
  const folder = temporaryFolder('sandbox-applications');
  after(() => removeFolder(folder));

  it('are marked if their secret was rotated, and the demo gets its own secret back', async () => {
    const settings = { KALENDS_DATA_DIR: folder };
    const demo = demoApplication('http://localhost:9/demo', 'http://localhost:9/webhooks');
    const own = ownApplications(['http://localhost:9/one', 'http://localhost:9/two'], undefined);
    const register = async () => {
      const registered = await registerApplications(settings, [demo, ...own]);
      return registered.map(({ isRotated }) => isRotated);
    };
    const first = await register();
    for (const { clientId } of [demo, ...own.slice(0, 1)])
      await runHere(['client', 'rotate-secret', clientId], { env: settings });

    const second = await register();

    assert.deepEqual(
      [first, second],
      [
        [false, false, false],
        [false, true, false],
      ],
    );
  });
});
