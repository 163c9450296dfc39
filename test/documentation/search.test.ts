/** The search of the documentation, with queries of readers and the page that each looks for. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import Fastify, { type FastifyInstance } from 'fastify';

import { documentationRoutes } from '../../src/documentation/documentation.route.ts';

/** Query → the slug of its page. */
const QUERIES: Readonly<Record<string, string>> = {
  'rotating master key': 'operations',
  timezones: 'calendars',
  pagination: 'reading',
  gdpr: 'privacy',
  'multiple instances': 'operations',
  k8s: 'operations',
  upgrading: 'operations',
  postgress: 'operations',
  signiture: 'webhooks',
  'rate limited by google': 'account-health',
  'verify webhook signature': 'webhooks',
  'reconnect an account': 'broken-connections',
  reauth_required: 'broken-connections',
  'delete a user': 'api/users',
  'export user data': 'privacy',
  KALENDS_MASTER_KEY: 'configuration',
  'restore a backup': 'disaster-recovery',
  'free slots of several users': 'api/free-time',
  'recurring events': 'writing',
  'exception of a series': 'calendars',
  idempotency: 'writing',
  'single sign-on': 'dashboard',
  'invite a member': 'dashboard',
  prometheus: 'metrics',
  'google verification': 'providers',
  'azure app registration': 'providers',
  'app-specific password': 'providers',
  invalid_grant: 'errors',
  'dark mode': 'branding',
  translations: 'languages',
  popup: 'popup',
  'simulate errors': 'sandbox',
  'docker image': 'operations',
  'audit trail': 'audit',
  'conferenceData.autoGenerate': 'api/writing-events',
};

describe('the search of the documentation', () => {
  const app: FastifyInstance = Fastify();
  before(() => void app.register(documentationRoutes({ publicUrl: 'https://kalends.example' })));
  after(() => app.close());

  /** Returns the pages of the results, best first, without parts and anchors. */
  async function search(query: string): Promise<string[]> {
    const { body } = await app.inject(`/docs/search?q=${encodeURIComponent(query)}`);
    const [, results = ''] = /<ol class="results">([\s\S]*?)<\/ol>/.exec(body) ?? [];
    return [...results.matchAll(/<li><a href="\/docs\/([^"#]+)/g)].map(([, target = '']) =>
      withoutPart(target),
    );
  }
  const withoutPart = (target: string) => target.replace(/\/\d+$/, '');

  it('finds something for all but two of 35 queries, and the page of 30 among its first three results', async () => {
    const results = await Promise.all(
      Object.entries(QUERIES).map(async ([query, page]) => ({ query, page, pages: await search(query) })),
    );

    const empty = results.filter(({ pages }) => pages.length === 0);
    const late = results.filter(({ page, pages }) => !pages.slice(0, 3).includes(page));
    assert.equal(results.length, 35);
    assert.ok(empty.length <= 2, JSON.stringify(empty));
    assert.ok(
      late.length <= 5,
      JSON.stringify(late.map(({ query, pages }) => [query, ...pages.slice(0, 4)])),
    );
  });

  it('finds a section by each of: a beginning, a typing error, another word for it', async () => {
    for (const query of ['idempot', 'idempotancy', 'kubernetes', 'k8s'])
      assert.ok((await search(query)).length > 0, query);
  });

  it('prefers sections with all words, and falls back to those with some', async () => {
    assert.equal((await search('popup zeppelin'))[0], 'popup');
    assert.deepEqual(await search('zeppelin'), []);
  });
});
