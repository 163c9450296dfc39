/** The errors of webhooks, their listeners and endpoints. */
import { errorTable } from '../http/refusal.ts';

export const WEBHOOKS = errorTable({
  webhook_url_required: {
    status: 400,
    message:
      'This application has no webhook URL: set one with `kalends client update --webhook-url`, then subscribe',
    when: 'The application has no webhook URL.',
    fix: 'Set one in the dashboard or with `kalends client update`.',
  },
  delivery_not_found: {
    status: 404,
    message: 'The application has no such delivery; deliveries are kept for 30 days',
    when: 'The application does not have this delivery, or it is older than 30 days and was deleted.',
    fix: 'List the deliveries again.',
  },
  listener_not_found: {
    status: 404,
    message: 'There is no such listener: a listener ends after three minutes without a request',
    when: 'The listener ended after three minutes without a request.',
    fix: 'Create a new listener.',
  },
  too_many_listeners: {
    status: 429,
    message: 'The application has reached its limit of listeners: end one, or wait until one expires',
    when: 'The application has reached its limit of listeners.',
    fix: 'End a listener, or wait until one expires.',
    retryAfter: 60,
  },
});
