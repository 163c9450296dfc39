import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import fc from 'fast-check';

import { svgProblem } from './logo-image.ts';

const svg = (inside: string, attributes = ''): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`;

const BILLION_LAUGHS = `<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>${svg('<text>&b;</text>')}`;

describe('the SVG check', () => {
  const drawn: [what: string, text: string][] = [
    ['a plain one', svg('<circle r="4"/>')],
    ['one with a declaration', `<?xml version="1.0" encoding="UTF-8"?>\n<!-- by hand -->${svg('<g/>')}`],
    ['one whose prefix is not the usual', '<s:svg xmlns:s="http://www.w3.org/2000/svg"/>'],
    ['a script, which nothing runs', svg('<script>fetch("https://evil.example")</script>', 'onload="x()"')],
    [
      'parts that refer to each other',
      svg('<use xlink:href="#a"/><rect style="fill:url(#b)" fill="url(\'#b\')"/>'),
    ],
    ['a raster picture it carries', svg('<image href="data:image/png;base64,AAAA"/>')],
    [
      'what an editor notes of files',
      svg('<g xmlns:i="urn:i" i:export="C:\\Users\\ada (1)\\a.svg" i:href="http://x.example/"/>'),
    ],
    ['words about style sheets', svg('<desc>@import and url(x) and \\75rl(x)</desc>')],
    [
      'what an editor notes of licences',
      svg('<metadata xmlns:r="urn:r"><a r:resource="http://x.example/"/></metadata>'),
    ],
  ];
  for (const [what, text] of drawn) {
    it(`accepts ${what}`, () => assert.equal(svgProblem(text), undefined));
  }

  const refused: [what: string, text: string, sentence: RegExp][] = [
    ['entities', BILLION_LAUGHS, /<!DOCTYPE/],
    ['a document type without entities', `<!DOCTYPE svg>${svg('')}`, /<!DOCTYPE/],
    [
      'a reference to a file',
      svg('<image xlink:href="file:///etc/passwd"/>'),
      /refers to "file:\/\/\/etc\/passwd"/,
    ],
    ['a reference to another host', svg('<use href="https://evil.example/#a"/>'), /not fetched/],
    ['a relative reference', svg('<image href="other.png"/>'), /not fetched/],
    ['a reference with space before it', svg('<image href=" http://evil.example"/>'), /not fetched/],
    ['an SVG within it as data', svg('<image href="data:image/svg+xml,x"/>'), /not fetched/],
    ['a style that refers to another host', svg('<rect style="fill:url( \'http://x/#a\')"/>'), /not fetched/],
    ['an attribute that does', svg('<rect FILTER="URL(//x/#a)"/>'), /not fetched/],
    ['a style sheet that does', svg('<style>a{fill:url(//x)}</style>'), /not fetched/],
    [
      'a style sheet in CDATA that imports',
      svg('<style><![CDATA[@import "x.css"]]></style>'),
      /a style sheet/,
    ],
    ['a style sheet with an escape', svg('<style>a{fill:u\\72l(//x)}</style>'), /not have escapes/],
    ['a letter with an escape', svg('<style>@\\import "x.css";</style>'), /not have escapes/],
    ['an attribute with one', svg('<rect fill="u\\rl(//x/#a)"/>'), /not have escapes/],
    ['an import around CDATA', svg('<style>@imp<![CDATA[ort "x.css"]]></style>'), /a style sheet/],
    ['an import around a comment', svg('<style>@imp<!-- -->ort "x.css"</style>'), /a style sheet/],
    ['an import around an element', svg('<style>@imp<g>a</g>ort "x.css"</style>'), /a style sheet/],
    ['a reference around a comment', svg('<style>a{fill:u<!-- -->rl(//x)}</style>'), /not fetched/],
    ['a style sheet named before it', `<?xml-stylesheet href="x.css"?>${svg('')}`, /a style sheet/],
    ['another encoding', `<?xml version="1.0" encoding="UTF-7"?>${svg('')}`, /must be UTF-8/],
    ['other XML', '<feed xmlns="http://www.w3.org/2005/Atom"/>', /is XML, but not SVG/],
    ['an svg element of no namespace', '<svg/>', /is XML, but not SVG/],
    ['a web page', '<!doctype html><p>Hello', /not well-formed SVG \(line 1, column \d+\)$/],
    ['what is cut off', svg('<g/>').slice(0, -3), /not well-formed SVG/],
    ['an entity that nobody declared', svg('<text>&a;</text>'), /not well-formed SVG/],
    ['nothing', '', /not well-formed SVG/],
    ['too many elements', svg('<g/>'.repeat(20_001)), /more than 20000 elements/],
    ['too deep a nesting', svg('<g>'.repeat(300) + '</g>'.repeat(300)), /nested deeper/],
  ];
  for (const [what, text, problem] of refused) {
    it(`refuses ${what}`, () => assert.match(svgProblem(text) ?? 'nothing was wrong', problem));
  }

  it('quotes a reference without characters that control a terminal', () => {
    const sentence =
      svgProblem(svg('<image href="http://x/\u009b31m\u202e&#x9d;&#10;kalends: done"/>')) ?? '';

    assert.match(sentence, /refers to "http:\/\/x\/31mkalends: done"/);
  });

  it('returns a sentence or nothing for any text, and never throws', () => {
    const pieces = fc.constantFrom(
      '<svg xmlns="http://www.w3.org/2000/svg">',
      '</svg>',
      '<g a="',
      '">',
      '&#0;',
      '&x;',
    );
    const text = fc.array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 8 });
    fc.assert(
      fc.property(text, (parts) => void svgProblem(parts.join(''))),
      { numRuns: 1000 },
    );
  });
});
