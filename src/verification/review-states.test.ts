import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { REVIEW_STEPS, type ReviewState, type ReviewStep, transitionOf } from './review-states.ts';

/** `status*` is the state of a verified application. A missing step changes nothing. */
const TABLE: Readonly<Record<string, Partial<Record<ReviewStep, string>>>> = {
  not_submitted: { submit: 'under_review', verify: 'approved*' },
  'not_submitted*': { submit: 'under_review*', verify: 'approved*', withdraw: 'not_submitted' },
  under_review: {
    cancel: 'not_submitted',
    approve: 'approved*',
    request_changes: 'changes_requested',
    edit: 'not_submitted',
    verify: 'approved*',
  },
  'under_review*': {
    cancel: 'not_submitted*',
    approve: 'approved*',
    request_changes: 'changes_requested*',
    edit: 'not_submitted*',
    verify: 'approved*',
    withdraw: 'under_review',
  },
  'approved*': { edit: 'not_submitted*', withdraw: 'not_submitted' },
  changes_requested: { submit: 'under_review', verify: 'approved*' },
  'changes_requested*': { submit: 'under_review*', verify: 'approved*', withdraw: 'changes_requested' },
};

const KINDS: Readonly<Record<ReviewStep, string>> = {
  submit: 'submitted',
  cancel: 'cancelled',
  approve: 'approved',
  request_changes: 'changes_requested',
  edit: 'edited',
  verify: 'approved',
  withdraw: 'withdrawn',
};

const stateNamed = (name: string): ReviewState => ({
  // TABLE has no other names.
  status: name.replace('*', '') as ReviewState['status'],
  isVerified: name.endsWith('*'),
});

describe('a review', () => {
  for (const [before, row] of Object.entries(TABLE)) {
    for (const step of REVIEW_STEPS) {
      const after = row[step];
      it(`a review: ${step} in ${before} ${after === undefined ? 'changes nothing' : `leads to ${after}`}`, () => {
        const kind = step === 'edit' && before.startsWith('under_review') ? 'cancelled' : KINDS[step];
        const expected = after === undefined ? undefined : { ...stateNamed(after), kind };

        assert.deepEqual(transitionOf(stateNamed(before), step), expected);
      });
    }
  }
});
