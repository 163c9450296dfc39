import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { html } from '../http/html.ts';
import { type LinkTargets, markdownPieces } from './markdown.page.ts';

const render = (markdown: string, linkOf: LinkTargets = (target) => target): string =>
  html`${markdownPieces(markdown, linkOf).map(({ markup }) => markup)}`.markup;

/** Every tag that a page can have. Text cannot contain `<` or `>`, because both are escaped. */
const TAG =
  /<\/?(?:p|h[1-4]|em|strong|code|pre|ul|ol|li|blockquote|table|thead|tbody|tr|th|td|div|span|button|a|br|hr)(?: (?:id|class|href|scope|tabindex|start|type|data-copied)="[^"<>]*"| hidden| data-copy)*>/g;

describe('Markdown of the documentation', () => {
  const hostile = [
    '<script>alert(1)</script>',
    '<script>\nalert(1)\n</script>\n',
    '<img src=x onerror=alert(1)>',
    'a <img src=x onerror=alert(1) b',
    '<code><img src=x onerror=alert(1) </code>',
    '<pre><script>alert(1) </pre>',
    '<div onclick="alert(1)">\n\n**bold**\n\n</div>',
    '<!-- --><svg onload=alert(1)>',
    '<?php ?><![CDATA[<b>]]><!DOCTYPE x>',
    '<br onclick=alert(1)><BR/><br/>',
    '- <iframe src="https://evil.example">\n\n  <object>',
    '> <style>*{display:none}</style>',
    '| <b>a</b> | b |\n|---|---|\n| <i onclick=x> | `<s>` |',
    '# <u onclick=x> "quoted" \' & <',
    '```"><script>\n</code></pre><script>alert(1)</script>\n```',
    '    <script>alert(1)</script>',
    '`` </code><script>alert(1)</script> ``',
    '![<b onclick=x>](https://evil.example/x.png "t")',
    '[<b onclick=x>](/a"onclick="x)',
    '[a](/b "\\"><script>")',
    '[a]: /b"onclick=x\n\n[a]',
    '- [x] <input autofocus onfocus=alert(1)>',
    '&lt;script&gt; &#60;script&#62;',
    '\\<script\\>alert(1)\\</script\\>',
    '~~<b>~~ __<b>__ <b@x.example>',
  ];
  for (const markdown of hostile)
    it(`has only known elements and attributes for ${JSON.stringify(markdown)}`, () => {
      assert.doesNotMatch(render(markdown).replace(TAG, ''), /[<>]/);
    });

  for (const target of [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    '&#106;avascript:alert(1)',
    'javascript&colon;alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example',
    '/\\evil.example',
    'x:y',
  ])
    it(`shows a link to ${target} as its text`, () => {
      for (const markdown of [
        `[a](${target})`,
        `[a](<${target}>)`,
        `[a][b]\n\n[b]: ${target}`,
        `<${target}>`,
      ])
        assert.doesNotMatch(render(markdown), /<a|href/);
    });

  it('links to http, https and mailto, to pages of this server and to anchors', () => {
    for (const target of [
      'http://a.example',
      'HTTPS://a.example/?a=b',
      'mailto:a@b.example',
      '/docs/a#b',
      '#b',
    ])
      assert.equal(render(`[a](${target})`), `<p><a href="${target.replace('=', '&#61;')}">a</a></p>\n`);
  });

  it('shows a link without a target, and a picture, as text', () => {
    assert.equal(
      render('[*a*](b.md)', () => undefined),
      '<p><em>a</em></p>\n',
    );
    assert.equal(render('![a `b`](https://a.example/b.png)'), '<p>a <code>b</code></p>\n');
  });

  it('keeps `<br>`, and leaves bare addresses, tildes and entities as they are written', () => {
    assert.equal(render('a<br>b'), '<p>a<br>b</p>\n');
    assert.equal(
      render('https://a.example ~a~ &lt; me@a.example'),
      '<p>https://a.example ~a~ &#38;lt; me@a.example</p>\n',
    );
  });

  it('names the language of a block of code, and nothing else of its first line', () => {
    const code = (name: string) => render(`\`\`\`${name}\na < b\n\`\`\``);

    assert.match(code(''), /<pre tabindex="0"><code>a &#60; b<\/code><\/pre>/);
    assert.match(code('js x'), /<pre tabindex="0"><code class="language-js">a &lt; b<\/code><\/pre>/);
  });

  it('numbers the anchors of equal headings', () => {
    assert.equal(
      render('# A `b`\n\n##### A b'),
      '<h1 id="a-b">A <code>b</code></h1>\n<h4 id="a-b-1">A b</h4>\n',
    );
  });
});
