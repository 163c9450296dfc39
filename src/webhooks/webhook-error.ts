/** The errors of webhooks, their listeners and endpoints. */
import { errorTable } from '../http/refusal.ts';

export const WEBHOOKS = errorTable({
  webhook_url_required: {
    status: 400,
    message:
      'This application has no webhook URL: set one with `kalends client update --webhook-url`, then subscribe',
    when: 'The application has no webhook URL to send changes to.',
    fix: 'Set one in the dashboard or with `kalends client update`.',
  },
  delivery_not_found: {
    status: 404,
    message: 'The application has no such delivery; they are kept for 30 days',
    when: 'The application has no such delivery, or it is too old to be kept.',
    fix: 'List them anew.',
  },
  listener_not_found: {
    status: 404,
    message: 'There is no such listener: it ended because it did not ask for three minutes',
    when: 'The listener ended, because it did not ask for three minutes.',
    fix: 'Begin another one.',
  },
  too_many_listeners: {
    status: 429,
    message: 'The application has as many listeners as it may: end one, or wait until it ends by itself',
    when: 'The application has as many listeners as it may.',
    fix: 'End one, or wait until one ends by itself.',
    retryAfter: 60,
  },
});
