import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { html, trusted } from './html.ts';

describe('html', () => {
  it('escapes text in content and in quoted attributes', () => {
    const page = html`<a title="${'"><script>'}">${"<b>&'"}</a>`;

    assert.equal(page.markup, '<a title="&#34;&#62;&#60;script&#62;">&#60;b&#62;&#38;&#39;</a>');
  });

  it('escapes text after an exclamation mark too', () => {
    assert.equal(html`Hello!${'<b>'}`.markup, 'Hello!&#60;b&#62;');
  });

  it('inserts markup and lists of it unchanged, and renders nothing for undefined and false', () => {
    const items = ['<1>', html`<i>2</i>`].map((item) => html`<li>${item}</li>`);

    assert.equal(
      html`<ul>${items}${undefined}${false}${0}</ul>`.markup,
      '<ul><li>&#60;1&#62;</li><li><i>2</i></li>0</ul>',
    );
  });

  it('inserts trusted constants unchanged', () => {
    assert.equal(html`${trusted('<svg/>')}`.markup, '<svg/>');
  });
});
