/** Compares results of the administration API with the schemas of its OpenAPI document. */
import assert from 'node:assert/strict';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { ADMIN_OPERATIONS } from '../../src/administration/operations/operations.ts';
import { resultSchema } from '../../src/api-reference/admin-results.ts';

const CHECKED = ADMIN_OPERATIONS.map((row) => ({
  ...row,
  pattern: new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  schema: Type.Unsafe(resultSchema(row)),
}));

/** Throws if the result of an operation differs from its schema or has members that the schema does not have. */
export function checkResult(method: string, path: string, document: object): void {
  const [route = ''] = path.split('?');
  const row = CHECKED.find((one) => one.method === method.toLowerCase() && one.pattern.test(route));
  if (row === undefined) return;
  assert.deepEqual([...Value.Errors(row.schema, document)], [], row.id);
  assert.deepEqual(
    Object.keys(document).filter((name) => !row.result.includes(name) && name !== row.counted),
    [],
    row.id,
  );
}
