import assert from 'node:assert/strict';
import { it } from 'node:test';

import { html } from '../../http/html.ts';
import { plainAppearance } from './appearance.ts';
import { layout } from './layout.page.ts';

it('a page is rendered only when complete: the awaited element follows all visible content', async () => {
  const { document } = layout(
    { title: 'Title', content: html`<h1>Title</h1>` },
    await plainAppearance({ language: 'en', theme: undefined }, { operatorName: undefined }),
  );
  const { markup } = document;

  const awaited = /<link rel="expect" href="#(\w+)" blocking="render">/.exec(markup)?.[1];

  assert.ok(awaited);
  const place = markup.indexOf(` id="${awaited}"`);
  assert.ok(place > markup.indexOf('</main>') && place > markup.indexOf('</footer>'));
});
