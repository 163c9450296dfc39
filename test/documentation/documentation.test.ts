/** The documentation as the server sends it: every page, its links, its Markdown, its search. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import Fastify, { type FastifyInstance } from 'fastify';

import { CONTENTS } from '../../src/documentation/contents.ts';
import { documentationRoutes } from '../../src/documentation/documentation.route.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const ORIGIN = 'https://kalends.example';

/** Pages of operations with a "Try it" form. */
const TRIED = /^\/docs\/api\/(?!shapes)/;
/** The end of the address of a part of a long page. */
const PART = /\/\d+$/;

describe('the served documentation', () => {
  const app: FastifyInstance = Fastify();
  const bodies = new Map<string, string>();
  before(async () => {
    app.register(documentationRoutes({ publicUrl: ORIGIN }));
    // The loop also visits the pages that it adds.
    bodies.set('/docs', '');
    for (const page of bodies.keys()) {
      const { statusCode, body } = await app.inject(page);
      assert.equal(statusCode, 200, page);
      bodies.set(page, body);
      for (const [, target = ''] of body.matchAll(/href="(\/docs\/[^"#]+)/g))
        if (!bodies.has(target) && !target.endsWith('.md')) bodies.set(target, '');
    }
  });
  after(() => app.close());

  it('has every document of docs/ as a page', () => {
    const listed = new Set(CONTENTS.flatMap(({ guides }) => guides.map(({ file }) => file)));
    const there = globSync('docs/**/*.md', { cwd: ROOT }).map((file) => file.replaceAll(path.sep, '/'));

    assert.deepEqual(
      there.filter((file) => file !== 'docs/README.md' && !listed.has(file)),
      [],
    );
    for (const { guides } of CONTENTS)
      for (const { slug } of guides) assert.ok(bodies.has(`/docs/${slug}`), slug);
  });

  it('has no link that leads nowhere, to a page or to an anchor', () => {
    for (const [from, body] of bodies) {
      for (const [, page = '', anchor] of body.matchAll(/href="(\/docs[^"#]*|)(?:#([^"]+))?"/g)) {
        const target = bodies.get(page === '' ? from : page.replace(/\.md$/, ''));
        assert.ok(target !== undefined, `${from}: ${page}`);
        assert.ok(anchor === undefined || target.includes(` id="${anchor}"`), `${from}: ${page}#${anchor}`);
      }
    }
  });

  it('has no id twice on a page', () => {
    for (const [page, body] of bodies) {
      const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      assert.equal(new Set(ids).size, ids.length, page);
    }
  });

  it('has no page, with its style and scripts, of more than 60 KB', () => {
    const sizes = [...bodies].map(([page, body]) => [page, Buffer.byteLength(body)] as const);

    assert.deepEqual(
      sizes.filter(([, bytes]) => bytes > 60 * 1024),
      [],
    );
  });

  it('reaches each heading of a long page at its address without a part', () => {
    const parts = [...bodies].filter(([page]) => PART.test(page));
    assert.ok(parts.length > 10);

    for (const [page, body] of parts)
      for (const [, anchor] of body.matchAll(/<h[234] id="([^"]+)"/g))
        assert.ok(bodies.get(page.replace(PART, ''))?.includes(` id="${anchor}"`), `${page}#${anchor}`);
  });

  it('has only its scripts for copying and for "Try it", which its policy admits by their hash', async () => {
    const { headers } = await app.inject('/docs/reading');

    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
    for (const [page, body] of bodies) {
      const scripts = body.match(/<script>[^<]*(?:<(?!\/script)[^<]*)*<\/script>/g) ?? [];
      assert.equal(scripts.length, TRIED.test(page) ? 2 : 1, page);
      const text = scripts.reduce((rest, script) => rest.replace(script, ''), body);
      assert.doesNotMatch(text, /<script|<iframe|<[a-z][^>]* (?:on\w+|style)="|url\(|@import/, page);
      assert.doesNotMatch(body, /<(?:img|link)[^>]*(?:src|href)="(?!data:|#)/i, page);
    }
  });

  it('has a page of operations admit two scripts, and this origin for them alone', async () => {
    const { headers, body } = await app.inject('/docs/api/reading-events');

    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+' 'sha256-[^']+'; img-src data:; connect-src 'self'; form-action 'self'; /,
    );
    assert.match(body, /<details class="try" hidden>/);
  });

  it('leaves no mark of Markdown in a page’s text', () => {
    for (const [page, body] of bodies) {
      const text = body.replace(
        /<pre[\s\S]*?<\/pre>|<code>[\s\S]*?<\/code>|<style>[\s\S]*?<\/style>|<script>[\s\S]*?<\/script>/g,
        '',
      );
      assert.doesNotMatch(text, /\*\*|```|\]\(|<p>[|#]|&lt;br&gt;/, page);
    }
  });

  it('answers every page as Markdown whose links are Markdown too', async () => {
    for (const page of bodies.keys()) {
      if (PART.test(page)) continue;
      const { statusCode, headers, body } = await app.inject(`${page}.md`);

      assert.equal(statusCode, 200, page);
      assert.equal(headers['content-type'], 'text/markdown; charset=utf-8');
      const text = body.replace(/```[\s\S]*?```|`[^`\n]*`/g, '');
      for (const [, target = ''] of text.matchAll(/\]\((\/docs[^)#]*)/g)) {
        assert.ok(target.endsWith('.md'), `${page}: ${target}`);
        assert.ok(bodies.has(target.slice(0, -'.md'.length)), `${page}: ${target}`);
      }
      assert.doesNotMatch(text, /\]\((?!\/|https?:|mailto:)/, page);
    }
  });

  it('lists every page in llms.txt, and has all of them in llms-full.txt', async () => {
    const [list, full] = await Promise.all([app.inject('/llms.txt'), app.inject('/llms-full.txt')]);

    for (const page of bodies.keys()) {
      if (page === '/docs' || PART.test(page)) continue;
      assert.ok(list.body.includes(`(${ORIGIN}${page}.md)`), page);
      assert.ok(full.body.includes(`Source: ${ORIGIN}${page}.md\n`), page);
    }
  });

  it('lists what only contributors and auditors need as optional in llms.txt', async () => {
    const { body } = await app.inject('/llms.txt');
    const [, optional = ''] = /^## Optional\n([\s\S]*)$/m.exec(body) ?? [];

    const pages = [...optional.matchAll(/\(https:\/\/kalends\.example\/docs\/([^)]+)\.md\)/g)].map(
      ([, page = '']) => page,
    );
    assert.deepEqual(
      pages
        .map((page) => page.replace(/^decisions\/.*/, 'decisions'))
        .filter((page, at, all) => at === all.indexOf(page)),
      [...['contributing', 'conformance', 'conformance-fapi2', 'asvs', 'dependencies', 'decisions']],
    );
  });

  it('marks the syntax of code, and folds all groups of the menu but the open one', () => {
    const reading = bodies.get('/docs/webhooks') ?? '';

    assert.match(reading, /<pre tabindex="0"><code class="language-\w+">[^<]*<span class="[ksnac]">/);
    assert.deepEqual(
      [...reading.matchAll(/<details( open)?><summary>([\w -]+)</g)].map(([, open, name]) => [
        name,
        open !== undefined,
      ]),
      [
        ['Tutorials', false],
        ['How-to guides', true],
        ['Reference', false],
        ['Explanation', false],
        ['Project', false],
      ],
    );
  });

  it('responds with 304 if the client has the current page', async () => {
    const { headers } = await app.inject('/docs/reading');
    const etag = String(headers.etag);

    const again = await app.inject({
      url: '/docs/reading',
      headers: { 'if-none-match': `"other", W/${etag}` },
    });

    assert.equal(headers['cache-control'], 'public, max-age=300');
    assert.equal(again.statusCode, 304);
    assert.equal(again.body, '');
  });

  it('finds the page that a query is about first', async () => {
    for (const [query, page] of [
      ['account+health', '/docs/account-health'],
      ['zeppelin', undefined],
      ['KALENDS_MASTER_KEY', '/docs/configuration'],
    ]) {
      const { body } = await app.inject(`/docs/search?q=${query}`);
      const [, results = ''] = /<ol class="results">([\s\S]*?)<\/ol>/.exec(body) ?? [];
      const targets = [...results.matchAll(/<li><a href="([^"#]+)/g)].map(([, target]) => target);
      assert.ok(
        page === undefined ? targets.length === 0 : targets.slice(0, 3).includes(page),
        `${query}: ${targets}`,
      );
    }
  });

  it('shows a hostile query as text, and reads no more of it than the field admits', async () => {
    const query = encodeURIComponent(`"><script>alert(1)</script>\u202e${'x'.repeat(5_000)}`);
    const { statusCode, body } = await app.inject(`/docs/search?q=${query}&q=second`);

    assert.equal(statusCode, 200);
    assert.equal(body.match(/<script>/g)?.length, 1);
    assert.ok(!body.includes('x'.repeat(300)));
  });

  it('answers 404 to what is no page, and reads no file that an address names', async () => {
    for (const name of [
      'nothing',
      'nothing.md',
      '../package.json',
      '..%2Fpackage.json',
      'README',
      'decisions',
    ])
      assert.equal((await app.inject(`/docs/${name}`)).statusCode, 404, name);
  });
});
