/** The ceiling of the load generator: node:http returning a few bytes must be the slower of the two. */
import type { LoadRow } from '../row.ts';
import { peer, repeating } from './token-subjects.ts';

export const ceilingRow: LoadRow = {
  name: 'start',
  title: 'The load generator against bare node:http (the server must be the one that is busy)',
  comparisons: [],
  async subjects(context) {
    const server = await peer(context, 'bare-node');
    return [repeating('node:http', server, 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')];
  },
};
