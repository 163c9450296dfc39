/** The pages' one script. It only improves: nothing needs it. */
import { readFileSync } from 'node:fs';

import { type Html, hashSource, html, trusted } from '../../http/html.ts';

// Its comments stand on lines of their own, for those who read it here.
const SCRIPT = readFileSync(new URL('./connect.client.js', import.meta.url), 'utf8')
  .replace(/^\s*\/\/.*\n/gm, '')
  .replace(/^ +/gm, '');

/** Admits it, and nothing else, in a Content-Security-Policy. */
export const SCRIPT_SOURCE = hashSource(SCRIPT);

/** It stands in the page, so that no second request is made. */
export const SCRIPT_ELEMENT: Html = html`<script>${trusted(SCRIPT)}</script>`;
