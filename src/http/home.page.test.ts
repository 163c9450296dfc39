import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import Fastify from 'fastify';
import { type HomePageDeps, homePage } from './home.page.ts';

const URL = 'https://kalends.example';
const HERE = { dashboardUrl: URL, hasOwnOrigin: false, isDashboardNetwork: () => true };

async function readHome(deps: HomePageDeps): Promise<string> {
  const app = Fastify();
  app.register(homePage(deps));
  const { statusCode, body } = await app.inject('/');
  await app.close();
  assert.equal(statusCode, 200);
  return body;
}

describe('the first page', () => {
  it('links to the dashboard and the documentation', async () => {
    const body = await readHome(HERE);

    for (const path of ['/dashboard', '/docs']) assert.ok(body.includes(`href="${path}"`), path);
  });

  it('has no link to a dashboard that is off, has its own origin or is not for the network', async () => {
    const others = [{ dashboardUrl: undefined }, { hasOwnOrigin: true }, { isDashboardNetwork: () => false }];
    for (const change of others) {
      const body = await readHome({ ...HERE, ...change });

      assert.ok(!body.includes('/dashboard'), JSON.stringify(change));
      assert.ok(body.includes('href="/docs"'));
    }
  });
});
