/** How applications look and who helps their users, on the command line. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import sharp from 'sharp';

import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { listen } from '../harness/loopback.ts';
import { UNKNOWN_HOST } from '../harness/no-network.ts';
import { type CommandLine, CREATE, NO_LOOK, openCommandLine } from './cli-run.ts';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>x</script><circle r="4"/></svg>';

describe('kalends client, with branding', () => {
  let cli: CommandLine;
  let id: string;
  let files: { png: string; svg: string; bad: string };
  beforeEach(async () => {
    cli = await openCommandLine({ KALENDS_PRIVATE_NETWORK: 'loopback', KALENDS_URL: 'https://k.example' });
    id = String((await cli.json(...CREATE)).document.client_id);
    files = {
      png: path.join(cli.dataDir, 'logo.png'),
      // Told by its content, not by its name.
      svg: path.join(cli.dataDir, 'logo.jpeg'),
      bad: path.join(cli.dataDir, 'bad.png'),
    };
    await writeFile(files.png, await png());
    await writeFile(files.svg, SVG);
    await writeFile(files.bad, (await png()).subarray(0, 60));
  });
  afterEach(() => cli.close());

  const currentLook = async () => {
    const { document } = await cli.json('client', 'show', id);
    return Object.fromEntries(Object.keys(NO_LOOK).map((name) => [name, document[name]]));
  };
  const pictureAt = async (address: unknown) => {
    const hash = /^https:\/\/k\.example\/connect\/logos\/([\da-f]{64})\.webp$/.exec(String(address))?.[1];
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: cli.dataDir }));
    const logo = await storage.branding.findLogo(hash ?? '');
    await storage.close();
    return logo?.webp;
  };

  it('kalends client shows the defaults of an application that has set nothing', async () => {
    assert.deepEqual(await currentLook(), NO_LOOK);
  });

  it('kalends client create sets all of a look at once, and show and list show it', async () => {
    const looks = [
      '--logo',
      files.png,
      '--dark-logo',
      files.svg,
      '--primary-color',
      '#A1f',
      '--theme',
      'dark',
    ];
    const switches = ['--footer', 'off', '--branding', 'off', '--verified', 'on'];
    const support = ['--support-email', 'help@app.example', '--support-url', 'https://app.example/help'];

    const created = (await cli.json(...CREATE, ...looks, ...switches, ...support)).document;
    id = String(created.client_id);

    const look = await currentLook();
    const { logo_url, dark_logo_url, ...rest } = look.branding as Record<string, unknown>;
    assert.deepEqual(rest, { enabled: false, primary_color: '#aa11ff', theme: 'dark', hide_footer: true });
    assert.equal((await sharp(await pictureAt(logo_url)).metadata()).width, 60);
    assert.equal((await sharp(await pictureAt(dark_logo_url)).metadata()).width, 192);
    const { support_email, support_url, verified } = look;
    assert.deepEqual(
      [support_email, support_url, verified],
      ['help@app.example', 'https://app.example/help', true],
    );
    assert.deepEqual(created.branding, look.branding);
    const { clients } = (await cli.json('client', 'list')).document;
    assert.deepEqual((clients as (typeof look)[]).map(({ branding }) => branding)[1], look.branding);
  });

  it('kalends client update changes what is named of a look, and shows it in words', async () => {
    await cli.run(['client', 'update', id, '--primary-color', '#123456', '--theme', 'light']);

    const { stdout } = await cli.run(['client', 'update', id, '--logo', files.png, '--footer', 'off']);

    assert.match(stdout, /^logo +https:\/\/k\.example\/connect\/logos\/\w+\.webp\ndark logo +\(the logo\)$/m);
    assert.match(stdout, /^primary color +#123456\ntheme +light\nfooter +off$/m);
  });

  it('kalends client update empties what is given empty of a look, and forgets its pictures', async () => {
    const support = ['--support-email', 'help@app.example', '--support-url', 'https://app.example/help'];
    const look = ['--logo', files.png, '--dark-logo', files.png, '--primary-color', '#123456'];
    await cli.run(['client', 'update', id, ...look, ...support]);
    const { branding } = await currentLook();
    const address = (branding as Record<string, unknown>).logo_url;

    const names = ['logo', 'dark-logo', 'primary-color', 'support-email', 'support-url'];
    await cli.run(['client', 'update', id, ...names.flatMap((name) => [`--${name}`, ''])]);

    assert.deepEqual(await currentLook(), NO_LOOK);
    assert.equal(await pictureAt(address), undefined);
  });

  const refused: [what: string, argsOf: () => string[], exitCode: number, sentence: RegExp][] = [
    ['a color by its name', () => ['--primary-color', 'teal'], 2, /primary color must be #rrggbb or #rgb/],
    ['a theme that is none', () => ['--theme', 'sepia'], 2, /--theme must be auto or light or dark\./],
    ['a switch that is neither', () => ['--footer', ''], 2, /--footer must be on or off\./],
    ['a branding that is neither', () => ['--branding', 'yes'], 2, /--branding must be on or off\./],
    ['a verified that is neither', () => ['--verified', 'true'], 2, /--verified must be on or off\./],
    ['an address without a host', () => ['--support-email', 'help'], 2, /support email must be one address/],
    [
      'a page that is not https',
      () => ['--support-url', 'http://a.example'],
      2,
      /support URL must be an abs/,
    ],
    [
      'a home that is not https',
      () => ['--application-url', 'http://a.example'],
      2,
      /application URL must be an abs/,
    ],
    ['a file that is not there', () => ['--logo', '/nowhere/x.png'], 1, /x\.png cannot be read \(ENOENT\)/],
    ['a folder', () => ['--logo', cli.dataDir], 1, /cannot be read \(EISDIR\)/],
    ['a picture that is cut off', () => ['--logo', files.bad], 2, /The logo cannot be read as PNG/],
    [
      'a file without an end',
      () => ['--dark-logo', '/dev/zero'],
      2,
      /dark logo must not be larger than 5 MB/,
    ],
    ['another kind of file', () => ['--dark-logo', '/proc/self/exe'], 2, /dark logo must/],
  ];
  for (const [what, argsOf, exitCode, sentence] of refused) {
    it(`kalends client update refuses ${what} in one sentence, and changes nothing`, async () => {
      const rest = ['--display-name', 'Changed', '--logo', files.png, '--primary-color', '#000000'];
      const args = argsOf();
      const others = rest.flatMap((word, i) =>
        i % 2 === 0 && !args.includes(word) ? rest.slice(i, i + 2) : [],
      );

      const { exitCode: code, stderr } = await cli.run(['client', 'update', id, ...others, ...args]);

      assert.equal(code, exitCode, stderr);
      assert.match(stderr, sentence);
      assert.doesNotMatch(stderr.trimEnd(), /\n/);
      assert.deepEqual(await currentLook(), NO_LOOK);
      assert.equal((await cli.json('client', 'show', id)).document.display_name, null);
    });
  }

  it('kalends client update refuses a redirect URI before it sets a look', async () => {
    const args = ['--redirect-uri', 'ftp://x', '--verified', 'on'];

    const { exitCode } = await cli.run(['client', 'update', id, ...args]);

    assert.equal(exitCode, 2);
    assert.deepEqual(await currentLook(), NO_LOOK);
  });

  it('kalends client create refuses a look before it registers anything', async () => {
    const { exitCode } = await cli.run([...CREATE, '--primary-color', 'teal']);

    assert.equal(exitCode, 2);
    assert.equal(((await cli.json('client', 'list')).document.clients as unknown[]).length, 1);
  });

  it('kalends client delete forgets the pictures with the application', async () => {
    await cli.run(['client', 'update', id, '--logo', files.png]);
    const address = ((await currentLook()).branding as Record<string, unknown>).logo_url;

    const { exitCode } = await cli.run(['client', 'delete', id, '--yes']);

    assert.equal(exitCode, 0);
    assert.equal(await pictureAt(address), undefined);
  });

  describe('from an address', () => {
    let site: Server;
    let origin: string;
    const requests: string[] = [];
    before(async () => {
      const picture = await png();
      site = createServer((request, response) => {
        requests.push(String(request.url));
        const answers: Record<string, () => void> = {
          // Told by its content, not by its header.
          '/logo': () => response.setHeader('content-type', 'text/html').end(picture),
          '/moved': () => response.writeHead(302, { location: '/logo' }).end(),
          '/inside': () => response.writeHead(302, { location: 'http://10.0.0.1/logo' }).end(),
          '/page': () => response.end('<!doctype html><p>Not a picture'),
          '/large': () => response.end(Buffer.alloc(2 * 1024 * 1024 + 1)),
        };
        const answer = answers[String(request.url)];
        if (answer === undefined) response.writeHead(404).end();
        else answer();
      });
      origin = await listen(site);
    });
    after(() => site.close());

    it('a picture is fetched from its address once, and its copy kept', async () => {
      requests.length = 0;

      const { exitCode, stderr } = await cli.run(['client', 'update', id, '--logo', `${origin}/moved`]);

      assert.equal(exitCode, 0, stderr);
      assert.deepEqual(requests, ['/moved', '/logo']);
      const address = ((await currentLook()).branding as Record<string, unknown>).logo_url;
      assert.equal((await sharp(await pictureAt(address)).metadata()).format, 'webp');
    });

    const unfetched: [what: string, address: () => string, sentence: RegExp][] = [
      ['is not there', () => `${origin}/none`, /logo cannot be fetched: its URL returns status 404/],
      ['is larger than 2 MB', () => `${origin}/large`, /logo cannot be fetched: it is larger than 2 MB/],
      ['is a page', () => `${origin}/page`, /The logo is not well-formed SVG/],
      ['leads into a private network', () => `${origin}/inside`, /logo cannot be fetched: .*10\.0\.0\.1/],
      [
        'is in a private network',
        () => 'https://192.168.0.1/logo',
        /logo cannot be fetched: .*192\.168\.0\.1/,
      ],
      [
        'is on a host that nobody knows',
        () => `https://${UNKNOWN_HOST}/x`,
        /logo cannot be fetched: n{64}\.invalid/,
      ],
      ['is no address', () => 'https://', /logo cannot be fetched: this is not a valid address/],
    ];
    for (const [what, address, sentence] of unfetched) {
      it(`a picture to fetch that ${what} is refused in a sentence`, async () => {
        const { exitCode, stderr } = await cli.run(['client', 'update', id, '--logo', address()]);

        assert.equal(exitCode, 2, stderr);
        assert.match(stderr, sentence);
        assert.deepEqual(await currentLook(), NO_LOOK);
      });
    }
  });
});

const png = () =>
  sharp({ create: { width: 60, height: 30, channels: 4, background: { r: 200, g: 30, b: 60, alpha: 1 } } })
    .png()
    .toBuffer();
