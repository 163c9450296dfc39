/** The pages of the API reference: nested fields, codes of errors, and examples. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import Fastify, { type FastifyInstance } from 'fastify';

import { currentDocument } from '../../src/api-reference/current-document.ts';
import { exampleCode } from '../../src/api-reference/example-code.ts';
import { exampleRequests } from '../../src/api-reference/example-request.ts';
import { listMembers, type Member } from '../../src/api-reference/schema-text.ts';
import { documentationRoutes } from '../../src/documentation/documentation.route.ts';

const ORIGIN = 'https://kalends.example';

describe('the pages of the API reference', () => {
  const document = currentDocument(ORIGIN);
  const app: FastifyInstance = Fastify();
  before(() => void app.register(documentationRoutes({ publicUrl: ORIGIN })));
  after(() => app.close());

  /** Returns the curl examples of an operation. */
  const curlOf = (path: string, method: string): string[] => {
    const operation = document.paths[path]?.[method];
    assert.ok(operation, path);
    return exampleRequests({ path, method, operation, origin: ORIGIN }).map(
      (request) => exampleCode(request).find(({ label }) => label === 'curl')?.code ?? '',
    );
  };

  /** Returns the page with an operation, whichever part has it. */
  async function pageWith(group: string, id: string): Promise<string> {
    for (let part = 1; part < 10; part += 1) {
      const { body } = await app.inject(`/docs/api/${group}${part === 1 ? '' : `/${part}`}`);
      if (body.includes(`<h2 id="${id}">`)) return body;
    }
    return assert.fail(id);
  }

  it('lists the fields of objects in objects and lists, in HTML and in Markdown', async () => {
    const page = await pageWith('writing-events', 'createEvent');
    const { body: markdown } = await app.inject('/docs/api/writing-events.md');

    assert.match(page, /<dt><code>conferenceData\.autoGenerate<\/code>/);
    assert.match(markdown, /^ {2}- `conferenceData\.autoGenerate` \(boolean\)/m);
  });

  it('lists four levels, and a shape that contains itself as a link', () => {
    const level = (member: object) => ({ type: 'object', properties: { a: member } });
    const deep = level(level(level(level(level({ type: 'string' })))));
    const node = { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } };
    const recursive = { ...document, components: { ...document.components, schemas: { Node: node } } };

    const names = (members: readonly Member[]): string[] =>
      members.flatMap((member) => [member.name, ...names(member.members)]);
    assert.deepEqual(names(listMembers(deep, document)), ['a', 'a.a', 'a.a.a', 'a.a.a.a']);
    assert.deepEqual(names(listMembers({ $ref: '#/components/schemas/Node' }, recursive)), ['next']);
  });

  it('shows the codes of errors as they are sent', async () => {
    const { body } = await app.inject('/docs/api/free-time.md');

    assert.match(body, /- 401 `invalid_client`/);
    for (const group of ['free-time', 'authorization', 'users'])
      assert.doesNotMatch((await app.inject(`/docs/api/${group}`)).body, /oauth_(?!req)/);
  });

  it('lists the required fields of each grant of /token', async () => {
    const page = await pageWith('authorization', 'issueTokens');

    assert.match(page, /Required with <code>grant_type&#61;authorization_code<\/code>: <code>code<\/code>/);
    assert.match(
      page,
      /Required with <code>grant_type&#61;refresh_token<\/code>: <code>refresh_token<\/code>/,
    );
  });

  it('has examples that work: the user of a flow, and the users of a search for free time', () => {
    assert.deepEqual(curlOf('/authorize', 'get'), [
      `curl "${ORIGIN}/authorize?client_id=proj1a2b3c&user_id=ada"`,
    ]);
    const [own = '', several = ''] = curlOf('/availability', 'post');
    assert.match(own, /Authorization: Bearer/);
    assert.doesNotMatch(own, /user_ids/);
    assert.match(several, /-u "\$CLIENT_ID:\$CLIENT_SECRET"[\s\S]*"user_ids": \[\n/);
  });

  it('has one option of curl per line, and JSON with one field per line', () => {
    const [code = ''] = curlOf('/event/rsvp', 'post');

    const [first, ...options] = code.split(' \\\n  ');
    assert.equal(first, `curl "${ORIGIN}/event/rsvp"`);
    assert.deepEqual(
      options.map((option) => option.slice(0, 2)),
      ['-X', '-H', '-H', '-d'],
    );
    assert.match(code, /-d '\{\n {4}"provider": "\w+",\n/);
  });
});
