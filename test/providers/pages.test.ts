/** Reading a provider's list page by page: to its end, and not round in circles. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import fc from 'fast-check';

import { readPages } from '../../src/providers/bearer-api.ts';

/** The link from a page to the next one. */
type Page = { readonly next: string | undefined };

function readAll(from: string | undefined, nextOf: (place: string | undefined) => string | undefined) {
  const asked: (string | undefined)[] = [];
  const ask = async (place: string | undefined): Promise<Page> => {
    asked.push(place);
    return { next: nextOf(place) };
  };
  const broken = (how: string) => new Error(`The list ${how}`);
  const pages = Array.fromAsync(readPages({ from, ask, nextOf: ({ next }) => next, broken }));
  return { asked, pages };
}

describe('the pages of a list', () => {
  it('are read to the last, each once', async () => {
    const { asked, pages } = readAll(undefined, (place) =>
      place === '99' ? undefined : String(Number(place ?? 0) + 1),
    );

    assert.equal((await pages).length, 100);
    assert.equal(new Set(asked).size, 100);
  });

  it('are not read for long where they go round in a circle, however far it is to it and however long it is', async () => {
    const lead = fc.nat(40);
    const length = fc.integer({ min: 1, max: 40 });
    await fc.assert(
      fc.asyncProperty(lead, length, async (before, circle) => {
        const { asked, pages } = readAll('0', (place) => {
          const at = Number(place) + 1;
          return String(at < before + circle ? at : before);
        });

        await assert.rejects(pages, /leads back to itself/);
        assert.ok(asked.length <= 3 * (before + circle), `${asked.length} requests`);
      }),
    );
  });
});
