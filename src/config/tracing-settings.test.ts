import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { loadConfig } from './config.ts';

const SECRET = 'canary-4711';
const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };
const tracing = (env: Record<string, string>) => loadConfig(env).tracing;
const sampler = (name: string, argument = '') => {
  const arg = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument };
  const { sampling, followsParent } = tracing({ ...COLLECTOR, ...arg }) ?? {};
  return [sampling, followsParent];
};

describe('the variables of OpenTelemetry', () => {
  it('set the collector, its headers, the service and its attributes', () => {
    const env = {
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20a%2Cb, x-scope = 1,',
      OTEL_SERVICE_NAME: 'calendars',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment=a%3Db',
    };
    assert.deepEqual(tracing({ ...COLLECTOR, ...env }), {
      url: 'http://collector:4318/v1/traces',
      headers: { authorization: 'Bearer a,b', 'x-scope': '1' },
      attributes: { 'service.name': 'calendars', 'deployment.environment': 'a=b' },
      ...{ sampling: 0.1, followsParent: true, tells: 'none' },
    });
  });

  it('for traces alone apply before those for all signals, and their URL is used unchanged', () => {
    const env = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces/in/',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'a=1',
      OTEL_EXPORTER_OTLP_HEADERS: 'b=2',
    };
    const { url, headers } = tracing({ ...COLLECTOR, ...env }) ?? {};
    assert.deepEqual([url, headers], ['https://traces/in/', { a: '1' }]);
  });

  it('set the sampler', () => {
    assert.deepEqual(sampler('always_on'), [1, false]);
    assert.deepEqual(sampler('parentbased_always_off'), [0, true]);
    assert.deepEqual(sampler('traceidratio', '0.25'), [0.25, false]);
    assert.deepEqual(sampler('parentbased_traceidratio'), [1, true]);
  });

  it('do not apply where a setting is set', () => {
    const settings = {
      KALENDS_OTLP_ENDPOINT: 'http://own',
      KALENDS_OTLP_HEADERS: 'own=1',
      KALENDS_TRACE_SAMPLING: '0.1',
    };
    const env = {
      OTEL_SDK_DISABLED: 'true',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_HEADERS: 'wrong',
      OTEL_TRACES_SAMPLER: 'wrong',
    };
    const { url, headers, sampling } = tracing({ ...COLLECTOR, ...env, ...settings }) ?? {};
    assert.deepEqual([url, headers, sampling], ['http://own/v1/traces', { own: '1' }, 0.1]);
  });

  it('turn traces off', () => {
    for (const off of [{ OTEL_SDK_DISABLED: 'TRUE' }, { OTEL_TRACES_EXPORTER: 'none' }])
      assert.equal(
        loadConfig({ ...COLLECTOR, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', ...off }).tracing,
        undefined,
      );
  });

  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', `ftp://${SECRET}`],
    ['OTEL_EXPORTER_OTLP_HEADERS', SECRET],
    ['OTEL_EXPORTER_OTLP_HEADERS', `${SECRET}=%`],
    ['OTEL_EXPORTER_OTLP_HEADERS', `a=${SECRET}%0Ab`],
    ['OTEL_RESOURCE_ATTRIBUTES', `=${SECRET}`],
    ['OTEL_TRACES_SAMPLER', 'xray'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ['OTEL_TRACES_EXPORTER', 'console'],
  ] as const)
    it(`prevent tracing, without their value in the log, if they cannot be used: ${name}=${value}`, () => {
      const { tracing, tracingProblem } = loadConfig({ ...COLLECTOR, [name]: value });
      assert.equal(tracing, undefined);
      assert.match(tracingProblem ?? '', new RegExp(`^${name} must be `));
      assert.doesNotMatch(tracingProblem ?? '', new RegExp(SECRET));
    });
});
