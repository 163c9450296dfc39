/**
 * Kalends' own server, token endpoint and Bearer check, with one more route behind the check that
 * says whose the token is: what the check costs, without what an endpoint does behind it.
 * The configuration comes from KALENDS_* as always.
 */
import { startActivityCounter } from '../../src/activity/activity-counter.ts';
import { loadConfig } from '../../src/config/config.ts';
import { publicOrigins } from '../../src/http/application-hosts.ts';
import { attemptLimit } from '../../src/http/attempt-limit.ts';
import { createServer } from '../../src/http/server.ts';
import { lazyEgress } from '../../src/lib/egress/lazy-egress.ts';
import { authenticateBearer } from '../../src/oauth/bearer-authentication.ts';
import { clientAssertions } from '../../src/oauth/client-assertion.ts';
import { openDpop } from '../../src/oauth/dpop.ts';
import { createIssuer } from '../../src/oauth/issuers.ts';
import { openSigningKeys } from '../../src/oauth/signing-keys.ts';
import { tokenRoute } from '../../src/oauth/token.route.ts';
import { createTokenSigner } from '../../src/oauth/token-signer.ts';
import { wrongCodeLimits } from '../../src/oauth/wrong-codes.ts';
import { startRequestRecorder } from '../../src/request-log/request-recorder.ts';
import { openStorage } from '../../src/start/open-storage.ts';

const config = loadConfig(process.env);
const stores = await openStorage(config);
const { now, sealer, families } = stores;
const log = { debug() {}, info() {}, warn() {}, error() {} };
const keys = await openSigningKeys(config.tokenAlgorithm, { keys: stores.signingKeys, sealer, now, log });
const signer = createTokenSigner(keys, now);

const answerListener = config.requestLogDays > 0 ? startRequestRecorder({ ...stores, log }) : undefined;
const activityNotes = startActivityCounter({ ...stores, log });
const hearers = { answerListener, answerCounter: activityNotes };
const app = createServer({ log, trustProxy: config.trustProxy, secure: false, ...hearers });
const egress = lazyEgress({ privateNetwork: config.privateNetwork });
const assertions = clientAssertions({ ...stores, egress, publicUrl: config.url, log });
const limits = { wrongSecrets: attemptLimit(30, 60), wrongCodes: wrongCodeLimits(config.limits) };
const issuer = createIssuer('default', config.url);
const nonceKey = sealer.derive('dpop nonces');
const dpop = openDpop({ ...stores, nonceKey, isPublicOrigin: publicOrigins(config) });
const tokens = { issuer, signer, successorKey: sealer.derive('refresh successors'), publicUrl: config.url };
app.register(tokenRoute({ ...stores, activityNotes, log, assertions, dpop, ...tokens, ...limits }));
app.get('/health', async () => ({ status: 'ok' }));
app.get('/protected', async (request) => {
  const { userId } = await authenticateBearer(request, { signer, families, dpop });
  return { user: userId };
});
await app.listen({ host: config.host, port: config.port });
process.once('SIGTERM', () => process.exit());
