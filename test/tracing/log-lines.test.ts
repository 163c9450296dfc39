/** The trace ids in lines of the log, and the line that says why traces are not sent. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';

import { loadConfig } from '../../src/config/config.ts';
import { openWatching } from '../../src/start/instance-watching.ts';
import { recordingLog } from '../servers/recording-log.ts';

const source = (name: string) => JSON.stringify(new URL(`../../src/${name}`, import.meta.url).href);
const PROGRAM = `
  import { openLog } from ${source('start/run-until-stopped.ts')};
  import { currentTrace } from ${source('lib/current-trace.ts')};
  const trace = { traceId: 'a', spanId: 'b', isOfJob: false };
  const fields = { event: 'stopping' };
  for (const isTraced of [true, false]) {
    const log = openLog('info', { isTraced });
    log.info(fields, 'outside');
    for (const isSampled of [true, false])
      currentTrace.run({ ...trace, isSampled }, () => log.info(fields, 'inside'));
    log.flush();
  }`;

it('a line of a sampled trace has the ids of the trace and the span, and others have none', () => {
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    encoding: 'utf8',
  });
  const ids = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ msg, trace_id, span_id }) => [msg, trace_id, span_id].join(' ').trim());
  assert.deepEqual(ids.toSorted(), ['inside', 'inside', 'inside', 'inside a b', 'outside', 'outside']);
});

it('a variable that cannot be used is logged, and the program starts without traces', async () => {
  const { log, entries } = recordingLog();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  const watching = await openWatching(loadConfig(env), log);

  assert.deepEqual(watching.listeners, {});
  const reason = 'OTEL_EXPORTER_OTLP_PROTOCOL must be one of http/json, http/protobuf';
  assert.deepEqual(
    entries.map(({ level, fields }) => ({ level, fields })),
    [{ level: 'warn', fields: { event: 'tracing_not_started', reason } }],
  );
});
