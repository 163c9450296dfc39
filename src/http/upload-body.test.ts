import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { formField } from './page-form.ts';
import { ApiError } from './refusal.ts';
import { parseUpload, uploadedFile } from './upload-body.ts';

const TYPE = 'multipart/form-data; boundary=xx';
const part = (head: string, content: string): string =>
  `--xx\r\ncontent-disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
const buildBody = (...parts: string[]): Buffer => Buffer.from(`${parts.join('')}--xx--\r\n`, 'latin1');
const file = (name: string, content: string): string =>
  part(`name="${name}"; filename="a.png"\r\ncontent-type: image/png`, content);

describe('bodies of type multipart/form-data', () => {
  it('contain texts and the unchanged bytes of files', async () => {
    const bytes = Array.from({ length: 256 }, (_, i) => String.fromCharCode(i)).join('');
    const form = await parseUpload(buildBody(part('name="token"', 'abc'), file('picture', bytes)), TYPE);

    assert.equal(formField(form, 'token'), 'abc');
    assert.deepEqual(Buffer.from(uploadedFile(form, 'picture') ?? []).toString('latin1'), bytes);
    assert.equal(uploadedFile(form, 'token'), undefined);
    assert.equal(formField(form, 'picture'), undefined);
  });

  it('have no file if none was chosen, and use the first of a repeated field', async () => {
    const empty = part('name="picture"; filename=""\r\ncontent-type: application/octet-stream', '');
    const form = await parseUpload(buildBody(empty, part('name="a"', '1'), part('name="a"', '2')), TYPE);

    assert.equal(uploadedFile(form, 'picture'), undefined);
    assert.equal(formField(form, 'a'), '1');
  });

  it('may have fields with any name', async () => {
    const form = await parseUpload(buildBody(part('name="__proto__"', 'x'), file('constructor', 'y')), TYPE);

    assert.equal(formField(form, '__proto__'), 'x');
    assert.equal(uploadedFile(form, 'toString'), undefined);
    assert.equal(Object.getPrototypeOf(form), null);
  });

  const broken: readonly (readonly [string, Buffer, string])[] = [
    ['without a boundary', buildBody(part('name="a"', '1')), 'multipart/form-data'],
    ['with the boundary of another', buildBody(part('name="a"', '1')), 'multipart/form-data; boundary=yy'],
    ['without an end', Buffer.from(part('name="a"', '1')), TYPE],
    ['without a name', buildBody(part('filename="a"', '1')), TYPE],
    ['of no bytes', Buffer.alloc(0), TYPE],
    ['of thousands of parts', buildBody(...Array.from({ length: 9_000 }, () => part('name="a"', ''))), TYPE],
    ['that is noise', Buffer.alloc(1_000_000, '--xx\r\n'), TYPE],
  ];
  for (const [what, body, type] of broken)
    it(`are refused ${what}`, async () => {
      await assert.rejects(
        () => parseUpload(body, type),
        (reason) => reason instanceof ApiError && reason.status === 400,
      );
    });
});
