/** Contract tests for SenderConstraintStore. Each database's test calls them with its own empty database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSealer } from '../../src/lib/sealing.ts';
import type { ClientChange } from '../../src/oauth/client.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';

const NOW = Date.UTC(2026, 10, 1);

const SWITCHES: Readonly<Record<string, ClientChange>> = {
  off: {},
  accepted: { senderConstraint: 'accepted' },
  required: { senderConstraint: 'required' },
  nonce: { senderConstraint: 'accepted', dpopNonce: 'on' },
};

export function senderConstraintsContract(database: string, open: () => Promise<Database>): void {
  describe(`SenderConstraintStore on ${database}`, () => {
    it('lists the applications that require bound tokens or nonces', async () => {
      const { clients, senderConstraints } = openStores(await open(), {
        sealer: createSealer(Buffer.alloc(32)),
      });
      for (const [clientId, switches] of Object.entries(SWITCHES)) {
        const names = { clientId, name: clientId, displayName: undefined, webhookUrl: undefined };
        const client = { ...names, redirectUri: 'https://app.example/cb', createdAt: NOW };
        await clients.createClient(client, 'hash', undefined);
        await clients.updateClient(clientId, switches, { now: NOW, by: undefined });
      }

      const listed = await senderConstraints.listSenderConstraints();

      assert.deepEqual(
        listed.toSorted((a, b) => (a.clientId < b.clientId ? -1 : 1)).map((row) => ({ ...row })),
        [
          { clientId: 'nonce', senderConstraint: 'accepted', dpopNonce: 'on' },
          { clientId: 'required', senderConstraint: 'required', dpopNonce: 'off' },
        ],
      );
    });
  });
}
