/** Code with its syntax marked by highlight.js, for pages that load this module when they first need it. */

import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import json from 'highlight.js/lib/languages/json';
import nginx from 'highlight.js/lib/languages/nginx';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import { type Html, html, trusted } from '../http/html.ts';

const LANGUAGES = { bash, go, ini, json, nginx, python, sql, typescript, yaml };
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
// TypeScript is a superset: one grammar for both.
hljs.registerAliases(['js', 'javascript'], { languageName: 'typescript' });

/** The five kinds that base.css has colors for, under the scopes of highlight.js. Other scopes look like text. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ keyword: 'k', built_in: 'k', type: 'k', section: 'k' },
  ...{ string: 's', regexp: 's' },
  ...{ number: 'n', literal: 'n', symbol: 'n' },
  ...{ attr: 'a', attribute: 'a', property: 'a', title: 'a', variable: 'a' },
  ...{ comment: 'c', meta: 'c' },
};

/** Returns the code as markup. A language that is not known leaves it as text. */
export function highlight(code: string, language: string): Html {
  if (hljs.getLanguage(language) === undefined) return html`${code}`;
  const open: boolean[] = [];
  const markup = hljs
    .highlight(code, { language, ignoreIllegals: true })
    // The grammar of JSON marks its literals as keywords too.
    .value.replace(/(?<="hljs-literal">)<span class="hljs-keyword">(\w+)<\/span>/g, '$1')
    .replace(/<span class="hljs-(\w+)[^"]*">|<\/span>|&quot;|&#x27;/g, (piece, scope?: string) => {
      if (piece === '&quot;') return '"';
      if (piece === '&#x27;') return "'";
      if (scope === undefined) return open.pop() ? '</span>' : '';
      const kind = KINDS[scope];
      open.push(kind !== undefined);
      return kind === undefined ? '' : `<span class="${kind}">`;
    });
  // highlight.js escapes the code, and the replacement adds constants only. Quotation marks are safe in content.
  return trusted(markup);
}

/** Renders a block of code, which scrolls if it is wide, so that it can be focused. Only the script shows its button. */
export const codeBlock = (code: string, language = ''): Html =>
  html`<div class="code"><pre tabindex="0"><code${language !== '' && html` class="language-${language}"`}>${highlight(code, language)}</code></pre><button type="button" hidden data-copy data-copied="Copied">Copy</button></div>
`;
