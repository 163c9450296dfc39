/** Errors about applications: their webhooks, their settings, their review. */
import { error, type IndexedError } from './indexed-error.ts';

export const WEBHOOKS: readonly IndexedError[] = [
  error(
    'webhook_url_required',
    '400',
    'The application has no webhook URL to send changes to.',
    'Set one in the dashboard or with `kalends client update`.',
  ),
  error(
    'delivery_not_found',
    '404',
    'The application has no such delivery, or it is too old to be kept.',
    'List them anew.',
  ),
  error(
    'listener_not_found',
    '404',
    'The listener ended, because it did not ask for three minutes.',
    'Begin another one.',
  ),
  error(
    'too_many_listeners',
    '429',
    'The application has as many listeners as it may.',
    'End one, or wait until one ends by itself.',
  ),
  error(
    'channel_not_found',
    '404',
    'A provider’s notice names a channel that is not there.',
    'Nothing: the provider stops by itself.',
  ),
];

export const SETTINGS: readonly IndexedError[] = [
  error(
    'invalid_client_metadata',
    '400',
    'A name, an address, a colour or a picture of an application cannot be used.',
    'Read `message`.',
  ),
  error(
    'invalid_redirect_uri',
    '400',
    'The redirect URI cannot be used.',
    'Use an absolute https address; http only on this machine.',
  ),
  error(
    'invalid_provider',
    '400',
    'The name is none of the four providers.',
    'Use `google`, `microsoft`, `apple` or `caldav`.',
  ),
  error(
    'address_in_use',
    '409',
    'The application has an endpoint of this address already.',
    'Change that one.',
  ),
  error(
    'too_many_endpoints',
    '409',
    'The application has as many webhook endpoints as it may.',
    'Remove one first.',
  ),
  error('too_many_pictures', '503', 'Too many logos are being drawn.', 'Try again in a few seconds.'),
  error(
    'not_ready_for_review',
    '409',
    'Something is missing that a review needs; `details` names it.',
    'Set it, and submit again.',
  ),
  error(
    'submission_changed',
    '409',
    'The application was changed and submitted again since.',
    'Look at it as it is now.',
  ),
  error(
    'under_review',
    '409',
    'The application is under review already.',
    'Wait for the decision, or cancel the review first.',
  ),
  error('already_approved', '409', 'The application was approved as it is.', 'Nothing is left to do.'),
  error('not_verified', '409', 'The application is not verified.', 'Look at its state first.'),
  error('not_under_review', '409', 'The application is not under review.', 'Look at its state first.'),
  error('note_missing', '400', 'Asking for changes takes a note that says which.', 'Write one.'),
  error('invalid_note', '400', 'The note is too long or empty.', 'Write a shorter one.'),
];
