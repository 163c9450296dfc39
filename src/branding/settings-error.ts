/** The errors of an application's settings; the first two are codes of dynamic registration (RFC 7591 §3.2.2). */
import { errorTable } from '../http/refusal.ts';

export const SETTINGS = errorTable({
  invalid_client_metadata: {
    status: 400,
    message: 'The name cannot be used',
    when: 'A name, an address, a colour or a picture of an application cannot be used.',
    fix: 'Read `message`.',
  },
  invalid_redirect_uri: {
    status: 400,
    message: 'The redirect URI cannot be used',
    when: 'The redirect URI cannot be used.',
    fix: 'Use an absolute https address; http only on this machine.',
  },
  invalid_provider: {
    status: 400,
    message: 'No such provider: google and microsoft tell of changes here',
    when: 'The name is none of the four providers.',
    fix: 'Use `google`, `microsoft`, `apple` or `caldav`.',
  },
  address_in_use: {
    status: 409,
    message:
      'Another application has its webhooks at this address: give this one a path of its own, or say --share-address',
    when: 'The application has an endpoint of this address already.',
    fix: 'Change that one.',
  },
  too_many_endpoints: {
    status: 409,
    message: 'The application has as many webhook endpoints as it may have: remove one first',
    when: 'The application has as many webhook endpoints as it may.',
    fix: 'Remove one first.',
  },
  too_many_pictures: {
    status: 503,
    message: 'Too many logos are being drawn',
    when: 'Too many logos are being drawn.',
    fix: 'Try again in a few seconds.',
  },
});
