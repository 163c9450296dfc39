/** The guards of how applications look, and of their verification. */
import type { Guard } from './known-guards.ts';

export const VERIFICATION_GUARDS: readonly Guard[] = [
  {
    store: 'branding',
    without:
      'UPDATE application SET updated_at = CASE WHEN :now > updated_at THEN :now ELSE updated_at + 1 END WHERE client_id = :clientId=>SELECT client_id FROM application WHERE client_id = :clientId AND CAST(:now AS BIGINT) > 0',
    fails: 'none of ten changes of a look that are made at once is lost',
    on: 'PostgreSQL',
  },
  {
    store: 'verification',
    without:
      'UPDATE application SET updated_at = CASE WHEN :now > updated_at THEN :now ELSE updated_at + 1 END WHERE client_id = :clientId=>SELECT client_id FROM application WHERE client_id = :clientId AND CAST(:now AS BIGINT) > 0',
    fails: 'of ten reviewers who decide at once, one does, whichever way',
    on: 'PostgreSQL',
  },
  {
    store: 'verification',
    without:
      'UPDATE application SET updated_at = CASE WHEN :now > updated_at THEN :now ELSE updated_at + 1 END WHERE client_id = :clientId=>SELECT client_id FROM application WHERE client_id = :clientId AND CAST(:now AS BIGINT) > 0',
    fails: 'an approval that races an edit approves what was submitted, or nothing',
    on: 'PostgreSQL',
  },
  {
    store: 'verification',
    without:
      'FROM application_logo WHERE hash = :hash UNION ALL SELECT content FROM approved_logo WHERE=>FROM application_logo WHERE',
    fails: 'what is approved stays what users see through every change, until the next approval',
  },
  {
    store: 'verification',
    without: ' AND number < :before=> AND CAST(:before AS BIGINT) > 0',
    fails: 'an edit that cancels a review, or ends an approval, is kept with what it changed and who did it',
  },
];
