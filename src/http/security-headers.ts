/** What every answer tells the browser that shows it, so that it does nothing else with it (docs/security.md T10). */
import type { FastifyInstance } from 'fastify';

type Headers = Readonly<Record<string, string>>;

const OPENER_POLICY = 'cross-origin-opener-policy';

/** What browsers offer to pages and no page of ours uses. */
const UNUSED_FEATURES = [
  ...['accelerometer', 'autoplay', 'camera', 'display-capture', 'encrypted-media', 'fullscreen'],
  ...['geolocation', 'gyroscope', 'hid', 'idle-detection', 'magnetometer', 'microphone', 'midi', 'payment'],
  ...['picture-in-picture', 'screen-wake-lock', 'serial', 'usb', 'xr-spatial-tracking'],
];

const EVERYWHERE: Headers = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'permissions-policy': UNUSED_FEATURES.map((feature) => `${feature}=()`).join(', '),
  [OPENER_POLICY]: 'same-origin',
  // Answers that other origins may read are asked for with CORS, which this does not touch.
  'cross-origin-resource-policy': 'same-origin',
  // A page has its own in place of it.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
};

/** The headers of every answer, by their names in lower case. `secure`: the public origin is https, and browsers are to keep to it. */
export function securityHeaders(secure: boolean): Headers {
  return secure ? { ...EVERYWHERE, 'strict-transport-security': 'max-age=31536000' } : EVERYWHERE;
}

/**
 * Lets a window of another origin that opened the pages of `app` hear from them: a popup's answer would not reach it
 * otherwise (docs/popup.md). For the pages of the flow, the way to a provider and back among them, and no others.
 */
export function keepOpener(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, next) => {
    reply.removeHeader(OPENER_POLICY);
    next();
  });
}
