/** The errors of an application's settings; the first two are codes of dynamic registration (RFC 7591 §3.2.2). */
import { errorTable } from '../http/refusal.ts';

export const SETTINGS = errorTable({
  invalid_client_metadata: {
    status: 400,
    message: 'The name cannot be used',
    when: 'A name, address, color or image of an application is invalid.',
    fix: '`message` says what is wrong. Correct it and send the request again.',
  },
  invalid_redirect_uri: {
    status: 400,
    message: 'The redirect URI cannot be used',
    when: 'A redirect URI is invalid or occurs twice, one to remove is not registered, or there are too many.',
    fix: 'Use absolute https URLs. Plain http is allowed for loopback addresses only. `details` has a sentence for each wrong one.',
  },
  last_redirect_uri: {
    status: 409,
    message: 'An application needs a redirect URI: add another one before you remove the last one',
    when: 'A change would remove the last redirect URI of the application.',
    fix: 'Add another redirect URI in the same change, or delete the application.',
  },
  invalid_provider: {
    status: 400,
    message: 'Unknown provider: only google and microsoft send push notifications',
    when: 'The path of a push notification names an unknown provider.',
    fix: 'Only Google and Microsoft call this path.',
  },
  address_in_use: {
    status: 409,
    message: 'Another application uses this webhook URL: use another path, or pass --share-address',
    when: 'Another application uses this webhook URL.',
    fix: 'Use another path. If both should use one URL, pass `--share-address`, or `share_address` in the administration API.',
  },
  changed_meanwhile: {
    status: 412,
    message: 'The application was changed after the version in If-Match: read it again',
    when: 'The application or its branding was changed after the version in `If-Match`.',
    fix: 'Read it again, and repeat the change with the new `ETag` if it is still right.',
  },
  too_many_endpoints: {
    status: 409,
    message: 'The application has reached its limit of webhook endpoints: remove one first',
    when: 'The application has reached its limit of webhook endpoints.',
    fix: 'Remove an endpoint first.',
  },
  pictures_unavailable: {
    status: 422,
    message: 'Logos cannot be rendered here: the optional package sharp is not installed on the server',
    when: 'The server was installed without the optional package `sharp`.',
    fix: 'Install Kalends with its optional dependencies, or leave the logo out.',
  },
  too_many_pictures: {
    status: 503,
    message: 'Too many logos are being rendered: try again in a few seconds',
    when: 'Too many logos are being rendered at once.',
    fix: 'Try again in a few seconds.',
  },
});
