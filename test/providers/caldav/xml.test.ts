/** Hostile and malformed XML: refused as an invalid response, and quickly. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import fc from 'fast-check';

import { ProviderError } from '../../../src/calendars/provider-error.ts';
import { parseCalendar } from '../../../src/providers/caldav/dav/calendar-properties.ts';
import { dav } from '../../../src/providers/caldav/dav/dav-names.ts';
import { parseListedObject } from '../../../src/providers/caldav/dav/listed-object.ts';
import {
  type DavResponse,
  multistatusParts,
  namesCondition,
  readMultistatus,
} from '../../../src/providers/caldav/dav/multistatus.ts';
import { parseXml } from '../../../src/providers/caldav/dav/xml.ts';
import { assertOfGrown, growingSize, grown, readingLimit, received } from '../../harness/growth.ts';
import { takesUnder, takesUnderASecond } from '../../harness/processor-time.ts';
import { inputs, rounds } from '../../harness/rounds.ts';

const collection = new URL('https://dav.example.com/ada/work/');
const whole = (response: DavResponse) => response;

/** Reads a body in all ways that bodies are read, in under a second. Only a ProviderError may be thrown. */
function readInTime(body: string): void {
  assert.ok(
    takesUnderASecond(() => read(body)),
    body.slice(0, 200),
  );
}

function read(body: string): void {
  try {
    namesCondition(body, 'valid-sync-token');
    for (const response of readMultistatus(body, whole).responses) {
      parseListedObject(response, collection);
      const url = URL.parse(response.href, collection);
      if (url !== null) parseCalendar(response, url);
    }
  } catch (failure) {
    if (!(failure instanceof ProviderError) || failure.kind !== 'invalid_response') throw failure;
  }
}

const refused = (body: string) => {
  const refusal = () =>
    assert.throws(
      () => readMultistatus(body, whole),
      (failure) => failure instanceof ProviderError,
    );
  assert.ok(takesUnderASecond(refusal));
};

const root = (content: string) => `<multistatus xmlns="DAV:">${content}</multistatus>`;

describe('multistatus', () => {
  const listing = root(
    '<response><href>/a.ics</href><href>/b.ics</href></response><sync-token>t-1</sync-token><response><href>/c.ics</href></response>',
  );

  it('multistatus is read response by response, of which only what is wanted is kept', () => {
    const { responses, syncToken } = readMultistatus(listing, ({ href }) => href);

    assert.deepEqual([responses, syncToken], [['/a.ics', '/b.ics', '/c.ics'], 't-1']);
  });

  it('multistatus holds no member of the document that was taken', () => {
    const names: string[] = [];
    const { children } = parseXml(listing, ({ name }) => {
      names.push(name);
      return name === dav('response');
    });

    assert.deepEqual(names, [dav('response'), dav('sync-token'), dav('response')]);
    assert.deepEqual(
      children.map(({ name }) => name),
      [dav('sync-token')],
    );
  });

  it('multistatus is handed over in parts while it is read', () => {
    const members = Array.from({ length: 9000 }, (_, index) => `<response><href>/${index}</href></response>`);
    const parts = multistatusParts(
      root(`${members.join('')}<sync-token>t-1</sync-token>`),
      ({ href }) => href,
    );
    const sizes: number[] = [];
    let last = parts.next();
    for (; last.done !== true; last = parts.next()) sizes.push(last.value.length);

    assert.ok(sizes.length > 3 && Math.max(...sizes) < 2000);
    assert.equal(
      sizes.reduce((sum, size) => sum + size, 0),
      9000,
    );
    assert.equal(last.value.syncToken, 't-1');
  });

  it('multistatus is read the same wherever a slice of it ends', () => {
    for (const before of [64 * 1024 - 30, 64 * 1024 - 15]) {
      for (let more = 0; more < 40; more += 1) {
        const name = '\u{1f4c5}&amp;\u{1f600}]]\r\nx';
        const body = root(`<x>${'a'.repeat(before + more)}</x><response><href>/${name}</href></response>`);

        assert.deepEqual(readMultistatus(body, ({ href }) => href).responses, ['/\u{1f4c5}&\u{1f600}]]\nx']);
      }
    }
  });

  it('multistatus is nothing else, whatever responses are in it', () => {
    refused('<other xmlns="DAV:"><response><href>/a.ics</href></response></other>');
  });
});

describe('multistatus of a hostile server', () => {
  it('hostile multistatus has no entities of its own: a billion laughs are not begun', () => {
    const levels = Array.from(
      { length: 10 },
      (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
    );
    refused(`<?xml version="1.0"?><!DOCTYPE m [<!ENTITY l0 "lol">${levels.join('')}]>${root('&l10;')}`);
  });

  it('hostile multistatus reads no files and no addresses', () => {
    for (const entity of ['SYSTEM "file:///etc/passwd"', 'SYSTEM "http://127.0.0.1/"', 'PUBLIC "x" "y"'])
      refused(`<?xml version="1.0"?><!DOCTYPE m [<!ENTITY x ${entity}>]>${root('&x;')}`);
    refused(root('&x;'));
    refused(`<!DOCTYPE html>${root('')}`);
  });

  it('hostile multistatus is not followed into the depth', () => {
    refused(root('<a>'.repeat(100_000)));
    refused(root(`${'<a>'.repeat(40)}${'</a>'.repeat(40)}`));
  });

  it('hostile multistatus has no more than 250,000 elements', () => {
    refused(root('<a/>'.repeat(250_000)));
    refused(root('<a/>'.repeat(1_000_000)));
  });

  it('hostile multistatus has no more than 250,000 attributes', () => {
    const attributes = Array.from({ length: 30 }, (_, index) => `a${index}="1"`).join(' ');
    refused(root(`<a ${attributes}/>`.repeat(30_000)));
  });

  it('hostile multistatus costs under a second at ten megabytes, whatever fills them', () => {
    const size = 10_000_000;
    const fill = (piece: string) => piece.repeat(Math.floor(size / piece.length));
    readInTime(root(`<response><href>${'x'.repeat(size)}</href></response>`));
    readInTime(root(`<response><href>${fill('%zz')}</href></response>`));
    readInTime(root(`<sync-token>${fill('&amp;')}</sync-token>`));
    readInTime(root(`<response><href>/a</href><status>${'HTTP/1.1 '.repeat(size / 9)}</status></response>`));
    readInTime(
      `<multistatus xmlns="DAV:" ${Array.from({ length: 200_000 }, (_, index) => `a${index}="1"`).join(' ')}/>`,
    );
    readInTime(fill('<'));
    readInTime(fill(' '));
    readInTime(root(fill('<!-- -->')));
  });

  it('hostile multistatus may have 20,000 resources', () => {
    const resource = (index: number) =>
      `<response><href>/ada/work/${index}.ics</href><propstat><prop><getetag>"${index}"</getetag><getcontenttype>text/calendar</getcontenttype></prop><status>HTTP/1.1 200 OK</status></propstat></response>`;
    const body = root(Array.from({ length: 20_000 }, (_, index) => resource(index)).join(''));

    const { responses } = readMultistatus(body, whole);

    assert.equal(responses.filter((response) => parseListedObject(response, collection)).length, 20_000);
  });
});

/** Pieces of a multistatus, and of other XML. */
const piece = fc.oneof(
  fc.constantFrom(
    '<response>',
    '</response>',
    '<href>',
    '</href>',
    '/ada/work/a.ics',
    'http://[::',
    '<propstat>',
    '</propstat>',
    '<prop>',
    '</prop>',
    '<status>HTTP/1.1 200 OK</status>',
    '<status>HTTP/1.1 999</status>',
    '<resourcetype><collection/><c:calendar xmlns:c="urn:ietf:params:xml:ns:caldav"/></resourcetype>',
    '<getetag>"1"</getetag>',
    '<current-user-privilege-set><privilege><read/></privilege></current-user-privilege-set>',
    '<sync-token>urn:1</sync-token>',
    '<x:y xmlns:x="urn:x"/>',
    '<x:y/>',
    '<__proto__ constructor="1"/>',
    '<![CDATA[',
    ']]>',
    '<!--',
    '-->',
    '<?pi ?>',
    '&amp;',
    '&#0;',
    '&#x110000;',
    '&x;',
    '<!DOCTYPE x>',
    '%',
    '\u0000',
    '\ud800',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);

/** `@` stands for attributes, up to more of them than an element may have. */
const withAttributes = (pieces: fc.Arbitrary<string>) =>
  fc
    .tuple(pieces, fc.noBias(fc.integer({ min: 0, max: 33 })))
    .map(([text, most]) =>
      text.replaceAll('@', Array.from({ length: most }, (_, index) => ` a${index}="&lt;"`).join('')),
    );
const member = grown(
  withAttributes(
    fc.constantFrom(
      '<response><href>/a.ics</href></response>',
      '<response@><href>/a.ics</href></response>',
      '<response xmlns="DAV:"><propstat><prop><getetag>"1"</getetag></prop></propstat></response>',
      '<x:a xmlns:x="urn:x"/>',
      '<a>',
      '</a>',
      '<!-- -->',
      '<a@/>',
    ),
  ),
);
const content = grown(
  fc.oneof(
    fc.constantFrom('<href>/a</href>', 'x', '&amp;', '&#13;', '<![CDATA[x]]>', '\n', ']]', '<prop/>'),
    piece,
  ),
);

function readQuickly(body: string): void {
  const reading = () => {
    try {
      for (const _responses of multistatusParts(body, ({ href }) => href));
    } catch (failure) {
      if (!(failure instanceof ProviderError)) throw failure;
    }
  };
  assert.ok(takesUnder(readingLimit(body), reading), `${body.length} characters`);
}

const deepened = fc.tuple(growingSize(1000), content).map(([depth, inner]) => {
  return `${'<a>'.repeat(depth)}${inner}${'</a>'.repeat(depth)}`;
});
const growing = fc
  .tuple(member, content, fc.oneof(content, deepened), member)
  .map(([first, one, other, last]) =>
    received(
      root(
        `${first}<response><href>/b</href>${one}<propstat><prop><x>${other}</x></prop></propstat></response>${last}`,
      ),
    ),
  );

describe('multistatus that grows', () => {
  it('multistatus that grows is read in two seconds, on the main thread in a tenth of one, or refused', () => {
    const attributes = Array.from({ length: 30 }, (_, index) => ` a${index}="1"`).join('');
    const examples = [
      root('<response><href>/a.ics</href></response>'.repeat(120_000)),
      root(`<a${attributes}/>`.repeat(30_000)),
      root(`<response><href>/b</href>${'<href>/a</href>'.repeat(500_000)}</response>`),
    ];
    assertOfGrown(growing, readQuickly, { numRuns: inputs(300), examples });
  });
});

describe('multistatus that nobody meant', () => {
  const numRuns = rounds(1500);

  it('broken multistatus fails as an answer that cannot be read, or is read, and takes no second', () => {
    const pieces = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(''));
    fc.assert(fc.property(fc.oneof(pieces, pieces.map(root)), readInTime), { numRuns });
  });

  it('multistatus fails or is read in time too where one part of a right answer was replaced', () => {
    const right = root(
      '<response><href>/ada/work/</href><propstat><prop><resourcetype><collection/><C:calendar xmlns:C="urn:ietf:params:xml:ns:caldav"/></resourcetype><displayname>Work</displayname></prop><status>HTTP/1.1 200 OK</status></propstat></response><sync-token>urn:1</sync-token>',
    );
    const mutated = fc
      .tuple(fc.nat(right.length), fc.nat(20), piece)
      .map(([at, length, text]) => right.slice(0, at) + text + right.slice(at + length));
    fc.assert(fc.property(mutated, readInTime), { numRuns });
  });
});
