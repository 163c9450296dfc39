import assert from 'node:assert/strict';
import { it } from 'node:test';

import { html } from '../../http/html.ts';
import { hashSource } from '../../http/page.ts';
import { plainAppearance } from './appearance.ts';
import { layout } from './layout.page.ts';

const renderPage = async () =>
  layout(
    { title: 'Title', content: html`<h1>Title</h1>` },
    await plainAppearance({ language: 'en', theme: undefined }, { operatorName: undefined }),
  );

it('a page is rendered only when complete: the awaited element follows all visible content', async () => {
  const { markup } = (await renderPage()).document;

  const awaited = /<link rel="expect" href="#(\w+)" blocking="render">/.exec(markup)?.[1];

  assert.ok(awaited);
  const place = markup.indexOf(` id="${awaited}"`);
  assert.ok(place > markup.indexOf('</main>') && place > markup.indexOf('</footer>'));
});

it('style and script have no comments, and the policy admits what is sent', async () => {
  const { document, policy } = await renderPage();

  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(document.markup) ?? [];
  const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(document.markup) ?? [];
  assert.doesNotMatch(style, /\/\*|\n/);
  assert.doesNotMatch(script, /^\s*\/\//m);
  assert.equal(policy.styleSource, hashSource(style));
  assert.equal(policy.scriptSource, hashSource(script));
});
