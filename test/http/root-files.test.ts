/** Files that browsers and crawlers request from every origin. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';

import { ICON_SVG } from '../../src/design/parts.page.ts';
import { rootFilesRoute } from '../../src/http/root-files.route.ts';
import { createServer } from '../../src/http/server.ts';
import { recordingLog } from '../servers/recording-log.ts';

describe('the files of the origin', () => {
  const server = createServer({ log: recordingLog().log, trustProxy: undefined, secure: true });
  server.register(rootFilesRoute(ICON_SVG));
  after(() => server.close());

  it('/favicon.ico is the icon of the pages, as SVG', async () => {
    const { statusCode, headers, body } = await server.inject('/favicon.ico');

    assert.deepEqual([statusCode, headers['content-type']], [200, 'image/svg+xml']);
    assert.match(body, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>$/);
    assert.equal(headers['cache-control'], 'public, max-age=86400');
  });

  it('/robots.txt keeps crawlers away from every page', async () => {
    const { statusCode, headers, body } = await server.inject('/robots.txt');

    assert.deepEqual([statusCode, headers['content-type']], [200, 'text/plain; charset=utf-8']);
    assert.equal(body, 'User-agent: *\nDisallow: /\n');
  });
});
