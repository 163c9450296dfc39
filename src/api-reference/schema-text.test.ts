import assert from 'node:assert/strict';
import { it } from 'node:test';

import { describeType } from './schema-text.ts';

it('a type in the reference states its bounds', () => {
  const cases: [object, string][] = [
    [{ type: 'string', maxLength: 100_000 }, 'string of at most 100,000 characters'],
    [{ type: 'integer', minimum: 0, maximum: 25 }, 'integer from 0 to 25'],
    [{ type: 'string', format: 'date-time' }, 'string (date-time)'],
  ];
  for (const [schema, expected] of cases)
    assert.deepEqual(describeType(schema), [{ kind: 'text', text: expected }]);
});
