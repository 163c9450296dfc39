import assert from 'node:assert/strict';
import { it } from 'node:test';

import { shownName } from './visible-name.ts';

it('shows whole user names to owners and developers, and masked ones to viewers', () => {
  assert.equal(shownName({ role: 'owner' }, 'jane@example.com'), 'jane@example.com');
  assert.equal(shownName({ role: 'developer' }, 'user-1'), 'user-1');
  assert.equal(shownName({ role: 'viewer' }, 'jane@example.com'), 'j•••@e•••.com');
  assert.equal(shownName({ role: 'viewer' }, 'user-1'), 'u•••');
});
