/** The security headers of every response, which limit what browsers do with it (docs/security.md T10). */
import type { FastifyInstance } from 'fastify';

type Headers = Readonly<Record<string, string>>;

const OPENER_POLICY = 'cross-origin-opener-policy';

/** Browser features that no page of Kalends uses. */
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
  // Responses that other origins may read are requested with CORS, which this header does not affect.
  'cross-origin-resource-policy': 'same-origin',
  // Pages replace it with their own.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
};

/** Returns the headers of every response, names in lower case. `secure`: browsers must stay on https. */
export const securityHeaders = (secure: boolean): Headers =>
  secure ? { ...EVERYWHERE, 'strict-transport-security': 'max-age=31536000' } : EVERYWHERE;

/** Lets a window of another origin that opened a popup receive the result (docs/popup.md). Only for flow pages. */
export function keepOpener(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, next) => {
    reply.removeHeader(OPENER_POLICY);
    next();
  });
}
