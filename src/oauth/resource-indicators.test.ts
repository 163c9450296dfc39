import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseResource, hasResources, readBodyResource, readResource } from './resource-indicators.ts';

const URL_OF_SERVER = 'https://kalends.example';
const deps = { publicUrl: URL_OF_SERVER };
const [ON, OFF] = [{ resourceIndicators: 'on' }, { resourceIndicators: 'off' }] as const;

describe('the parameter resource', () => {
  const chosen: readonly (readonly [string, readonly unknown[], string | undefined])[] = [
    ['absent', [], undefined],
    ['empty', ['', null, undefined], undefined],
    ['this server', [URL_OF_SERVER], URL_OF_SERVER],
    ['this server twice', [URL_OF_SERVER, '', URL_OF_SERVER], URL_OF_SERVER],
  ];
  for (const [name, requested, resource] of chosen)
    it(`can be ${name}`, () => {
      assert.deepEqual(chooseResource(requested, ON, deps), { resource });
      assert.equal(readResource(requested, ON, deps), resource);
    });

  for (const requested of [[`${URL_OF_SERVER}/`], ['x', URL_OF_SERVER], [7], [[URL_OF_SERVER]]])
    it(`cannot be ${JSON.stringify(requested)}, but is ignored without resource indicators`, () => {
      assert.equal(chooseResource(requested, ON, deps), undefined);
      assert.throws(() => readResource(requested, ON, deps), { code: 'invalid_target', status: 400 });
      assert.deepEqual(chooseResource(requested, OFF, deps), { resource: undefined });
    });

  it('counts only with resource indicators', () => {
    assert.deepEqual([hasResources(ON), hasResources(OFF)], [true, false]);
    assert.equal(readResource([URL_OF_SERVER], OFF, deps), undefined);
  });

  it('of a body can be a list', () => {
    for (const resource of [URL_OF_SERVER, [URL_OF_SERVER, URL_OF_SERVER]])
      assert.equal(readBodyResource({ resource }, ON, deps), URL_OF_SERVER);
    for (const body of [{}, undefined, 'text']) assert.equal(readBodyResource(body, ON, deps), undefined);
    assert.throws(() => readBodyResource({ resource: [URL_OF_SERVER, 'x'] }, ON, deps), {
      code: 'invalid_target',
    });
  });
});
