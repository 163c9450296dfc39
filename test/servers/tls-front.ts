/** https in front of a server that speaks http: with a certificate of its own making, trusted by those who are told to. */
import { execFileSync } from 'node:child_process';
import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';

import { close, listen } from '../harness/loopback.ts';

export const OPENSSL = '/usr/bin/openssl';

export type TlsFront = {
  readonly port: number;
  /** Lets this process trust the certificate until it ends. */
  trust(): void;
  stop(): Promise<void>;
};

/** Passes all requests on to the server at `origin()`. The certificate is for these hosts. */
export async function startTlsFront(hosts: readonly string[], origin: () => string): Promise<TlsFront> {
  const pem = certificateFor(hosts);
  const server = https.createServer({ key: pem, cert: pem }, (request, response) => {
    const { method, url = '/', headers } = request;
    const upstream = http.request(new URL(url, origin()), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  });
  const { port } = new URL(await listen(server));
  return {
    port: Number(port),
    trust: () => tls.setDefaultCACertificates([...tls.getCACertificates('default'), pem]),
    stop: () => close(server),
  };
}

/** Key and certificate, which signs itself, in one PEM text. */
export function certificateFor(hosts: readonly string[]): string {
  const names = hosts.map((host) => `DNS:${host}`).join(',');
  return execFileSync(
    OPENSSL,
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...['-subj', '/CN=Kalends test', '-addext', `subjectAltName=${names}`, '-keyout', '-', '-out', '-'],
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
}
