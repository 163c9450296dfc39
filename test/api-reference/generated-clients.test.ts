/**
 * Tests docs/openapi.json with tools of others: two linters, and generators whose clients read the program's responses.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { createSealer } from '../../src/lib/sealing.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, link, openCalendarServer } from '../harness/calendar-server.ts';
import { counterpart } from '../harness/counterpart.ts';
import { openWholeApp } from '../harness/whole-app.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** The folder into which .ci/install-counterparts.sh installs the packages of test/generated-clients. */
const TOOLS = '/usr/local/lib/kalends-counterparts/generated-clients/node_modules';
const DOCUMENT = path.join(ROOT, 'docs/openapi.json');
const HOME = 'https://dav.example/ada/home/';

describe('the OpenAPI document', counterpart('What generates clients', TOOLS), () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-openapi-'));
    await writeAnswers(folder);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const inFolder = (name: string) => path.join(folder, name);

  it('the OpenAPI document passes the recommended rules of Redocly without a warning', async () => {
    const report = await run(tool('@redocly/cli/bin/cli.js'), ['lint', '--format=json', DOCUMENT]);

    assert.deepEqual(JSON.parse(report).problems, []);
  });

  it('the OpenAPI document passes Spectral’s rules for OpenAPI without a warning', async () => {
    await writeFile(inFolder('spectral.json'), JSON.stringify({ extends: ['spectral:oas'] }));

    const options = ['--format', 'json', '--fail-severity', 'hint', '--ruleset', inFolder('spectral.json')];
    const report = await run(tool('@stoplight/spectral-cli/dist/index.js'), ['lint', ...options, DOCUMENT]);

    assert.deepEqual(JSON.parse(report.slice(report.indexOf('['), report.lastIndexOf(']') + 1)), []);
  });

  it('types that openapi-typescript makes of the document compile and fit the responses', async () => {
    const generated = inFolder('kalends.d.ts');
    await run(tool('openapi-typescript/bin/cli.js'), [DOCUMENT, '--output', generated]);
    await writeFile(inFolder('use.ts'), TYPESCRIPT);

    const strict = ['--noEmit', '--strict', '--ignoreConfig', '--target', 'esnext', '--module', 'nodenext'];
    const types = ['--types', 'node', '--typeRoots', path.join(ROOT, 'node_modules/@types')];
    const options = [...strict, ...types, '--allowImportingTsExtensions', inFolder('use.ts')];
    await run(path.join(ROOT, 'node_modules/typescript/bin/tsc'), options);
    const printed = await run(inFolder('use.ts'), [folder]);

    assert.equal(printed, `Calendar ${HOME}: Review, Review\n`);
  });

  it('a Python model that quicktype makes of the document reads the responses, and writes the same again', async () => {
    const { components } = JSON.parse(await readFile(DOCUMENT, 'utf8'));
    const definitions = JSON.stringify(components.schemas).replaceAll(
      '#/components/schemas/',
      '#/definitions/',
    );
    const members = {
      events: { $ref: '#/definitions/EventsPage' },
      calendars: { type: 'array', items: { $ref: '#/definitions/Calendar' } },
    };
    const schema = {
      type: 'object',
      required: Object.keys(members),
      properties: members,
      definitions: JSON.parse(definitions),
    };
    await writeFile(inFolder('answers.schema.json'), JSON.stringify(schema));
    const generate = ['--quiet', '--lang', 'python', '--src-lang', 'schema', '--top-level', 'Answers'];
    const files = ['--out', inFolder('answers.py'), inFolder('answers.schema.json')];
    await run(tool('quicktype/dist/index.js'), [...generate, ...files]);
    await writeFile(inFolder('use.py'), PYTHON);

    const { stdout } = await promisify(execFile)('/usr/bin/python3', [inFolder('use.py'), folder]);

    assert.equal(stdout, `Calendar ${HOME}: Review, Review\n`);
  });
});

const tool = (file: string): string => path.join(TOOLS, file);

/** Runs a Node program; rejects with its whole output if it fails. */
async function run(file: string, args: readonly string[]): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: tmpdir(), REDOCLY_TELEMETRY: 'off', NO_COLOR: '1' };
  const done = promisify(execFile)(process.execPath, [file, ...args], { cwd: tmpdir(), env, maxBuffer: 1e8 });
  const { stdout } = await done.catch((failure: { stdout?: string; stderr?: string }) => {
    throw new Error(`${file}: ${failure.stdout} ${failure.stderr}`, { cause: failure });
  });
  return stdout;
}

/** Writes real responses of the program to files. */
async function writeAnswers(folder: string): Promise<void> {
  const sealer = createSealer(randomBytes(32));
  const server: CalendarServer = await openCalendarServer({ sealer });
  server.provider.addCalendar(calendar(HOME, { color: '#0b8043', description: 'Home' }));
  const rrules = ['FREQ=WEEKLY;COUNT=2'];
  const review = event('2026-11-09T09:00:00', {
    title: 'Review',
    recurrence: { rrules, rdates: [], exdates: [] },
  });
  server.provider.put(HOME, resource('weekly', review));
  await link(server);
  const { app } = await openWholeApp(server, sealer);
  try {
    const headers = { authorization: `Bearer ${await server.token()}` };
    const window = 'start=2026-11-01T00:00:00Z&end=2026-12-01T00:00:00Z';
    for (const [name, url] of Object.entries({ calendars: '/calendars', events: `/events?${window}` })) {
      const { statusCode, body } = await app.inject({ url, headers });
      assert.equal(statusCode, 200, body);
      await writeFile(path.join(folder, `${name}.json`), body);
    }
  } finally {
    await app.close();
    await server.close();
  }
}

/** Compiled against the generated types, which must accept existing fields and reject others. */
const TYPESCRIPT = `import { readFileSync } from 'node:fs';
import type { components, paths } from './kalends.d.ts';

type Listing = paths['/events']['get']['responses'][200]['content']['application/json'];
type Calendar = components['schemas']['Calendar'];
const read = (name: string) => JSON.parse(readFileSync(process.argv[2] + '/' + name + '.json', 'utf8'));
const { events }: Listing = read('events');
const calendars: Calendar[] = read('calendars');
const access: 'read' | 'write' | undefined = calendars[0]?.access;
// @ts-expect-error: no event has such a member.
events[0]?.subject;
if (access === undefined) throw new Error('No access');
console.log(calendars.map(({ title }) => title).join() + ': ' + events.map(({ title }) => title).join(', '));
`;

/** Reads with the generated classes, which assert every type, and compares what they write with the input. */
const PYTHON = `import json, sys
from answers import answers_from_dict, answers_to_dict

answers = {name: json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("events", "calendars")}
model = answers_from_dict(answers)
written = answers_to_dict(model)
for before, after in zip(answers["events"]["events"], written["events"]["events"]):
    for name in ("id", "title", "allDay", "provider", "calendarId", "timeZone", "availability"):
        assert before.get(name) == after.get(name), (name, before, after)
print(f"{model.calendars[0].title}: {', '.join(event.title for event in model.events.events)}")
`;
